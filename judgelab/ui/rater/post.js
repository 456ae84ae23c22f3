// Sends operations by a request of our own: nothing of the page runs again.
const REFUSED = new Set([401, 403, 404, 405]);

class Post {
  constructor(take, refused) {
    this.take = take; // gets what the screen shows next
    this.refused = refused; // is told that this browser is not known there
    this.busy = false;
    this.again = false;
  }

  // One request at a time: a later answer must never be overtaken by an earlier one.
  async send(address, pass, current) {
    if (this.busy) {
      this.again = true;
      return;
    }
    this.busy = true;
    const { path, ...who } = address;
    const headers = { "Content-Type": "application/json" };
    if (pass) headers["X-JudgeLab-Pass"] = pass;
    try {
      const body = JSON.stringify({ ...who, ops: current() });
      const answer = await fetch(path, { method: "POST", headers, body });
      if (answer.ok) this.take(await answer.json());
      else if (REFUSED.has(answer.status)) this.refused();
    } catch {
      // The server is away: what is not acknowledged is sent again by the outbox.
    }
    this.busy = false;
    if (this.again) {
      this.again = false;
      this.send(address, pass, current);
    }
  }
}
