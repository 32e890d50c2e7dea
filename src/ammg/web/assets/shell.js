// A socket that the server refuses: the session is over (sign in again), or the rights changed (load the page again).
(() => {
  const SOON = 30000;
  const reloadOnce = () => {
    const last = Number(sessionStorage.getItem("ammg-reload") || 0);
    if (Date.now() - last < SOON) return;
    sessionStorage.setItem("ammg-reload", String(Date.now()));
    location.reload();
  };
  const look = async refused => {
    let status;
    try {
      status = (await fetch("/api/v1/session", {cache: "no-store"})).status;
    } catch {
      return; // the server is away: the socket tries again by itself
    }
    if (status === 401) location.assign("/login?next=" + encodeURIComponent(location.pathname + location.search));
    else if (status === 200 && refused) reloadOnce();
  };
  // Changes that were not saved would be lost with the page.
  window.addEventListener("beforeunload", event => { if (window.ammgUnsaved) event.preventDefault(); });
  // What scrolls can be scrolled by keyboard too.
  new MutationObserver(() => {
    for (const place of document.querySelectorAll(".q-table__middle:not([tabindex])")) place.tabIndex = 0;
  }).observe(document.body, {childList: true, subtree: true});
  const follow = () => {
    if (!window.socket) return setTimeout(follow, 50);
    window.socket.on("connect_error", () => look(true));
    window.socket.on("disconnect", () => look(false));
  };
  follow();
})();
