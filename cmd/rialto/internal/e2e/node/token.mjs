/** Adds the token of the environment, if there is one, to each request. */
export function carryToken() {
  const token = process.env.RIALTO_TOKEN;
  if (!token) return;
  const original = globalThis.fetch;
  globalThis.fetch = (url, init) => {
    const headers = new Headers(init?.headers);
    headers.set('Authorization', `Bearer ${token}`);
    return original(url, { ...init, headers });
  };
}
