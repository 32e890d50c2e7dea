const field = name => document.getElementById(name);
if (!location.hash) field("answer").textContent = "This address is incomplete: open the whole link that you were given.";
field("form").addEventListener("submit", async event => {
  event.preventDefault();
  if (field("password").value !== field("again").value) {
    field("answer").textContent = "The passwords differ: type the same one twice.";
    return;
  }
  const given = {token: location.hash.slice(1)};
  for (const name of ["name", "full_name", "password"]) given[name] = field(name).value;
  field("answer").textContent = "";
  let answer;
  try {
    answer = await fetch("/api/v1/invitations/accept", {
      method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(given)});
  } catch {
    field("answer").textContent = "The server does not answer: try again in a moment.";
    return;
  }
  const said = await answer.json();
  if (!answer.ok) {
    field("answer").textContent = said.detail;
    return;
  }
  history.replaceState(null, "", location.pathname);
  const signedIn = await fetch("/api/v1/session", {
    method: "POST", headers: {"Content-Type": "application/json"},
    body: JSON.stringify({name: said.name, password: given.password})});
  if (signedIn.ok) return location.replace("/");
  field("answer").textContent = `The account '${said.name}' is ready: sign in.`;
  field("form").remove();
  field("next").hidden = false;
});
