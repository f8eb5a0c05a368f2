/** Has the token of the environment, if there is one, go with each request, and the extensions that it asks for. */
export function carryToken() {
  const token = process.env.RIALTO_TOKEN;
  if (!token) return;
  const original = globalThis.fetch;
  globalThis.fetch = (url, init) => {
    const headers = new Headers(init?.headers);
    headers.set('Authorization', `Bearer ${token}`);
    if (process.env.RIALTO_EXTENSIONS) headers.set('A2A-Extensions', process.env.RIALTO_EXTENSIONS);
    return original(url, { ...init, headers });
  };
}
