// Sends operations by a request of our own: nothing of the page runs again. Where that way is closed (the
// page is served without our routes, or the sign-in is not ours), the component's state carries them.
const CLOSED = new Set([401, 403, 404, 405]);

class Post {
  constructor(take) {
    this.take = take; // gets what the screen shows next
    this.closed = false;
    this.busy = false;
    this.again = false;
  }

  // One request at a time: a later answer must never be overtaken by an earlier one.
  async send(address, current, otherwise) {
    if (this.closed || !address.path) return otherwise(current());
    if (this.busy) {
      this.again = true;
      return;
    }
    this.busy = true;
    const { path, ...who } = address;
    try {
      const answer = await fetch(path, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ ...who, ops: current() }),
      });
      if (answer.ok) this.take(await answer.json());
      else this.closed = CLOSED.has(answer.status);
    } catch {
      // The server is away: what is not acknowledged is sent again by the outbox.
    }
    this.busy = false;
    if (this.closed) otherwise(current());
    else if (this.again) {
      this.again = false;
      this.send(address, current, otherwise);
    }
  }
}
