const field = name => document.getElementById(name);
const wanted = () => {
  const next = new URLSearchParams(location.search).get("next") || "/";
  return /^\/(?![/\\])/.test(next) ? next : "/"; // a path of this site, never another one
};
// Whoever comes by a link of another site has a session that was not sent along.
fetch("/api/v1/session").then(answer => { if (answer.ok) location.replace(wanted()); });
field("form").addEventListener("submit", async event => {
  event.preventDefault();
  const given = {name: field("name").value, password: field("password").value};
  field("answer").textContent = "";
  let answer;
  try {
    answer = await fetch("/api/v1/session", {
      method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(given)});
  } catch {
    field("answer").textContent = "The server does not answer: try again in a moment.";
    return;
  }
  if (answer.ok) return location.replace(wanted());
  field("answer").textContent = (await answer.json()).detail;
  field("password").value = "";
  field("password").focus();
});
