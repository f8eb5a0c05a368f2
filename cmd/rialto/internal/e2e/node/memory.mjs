// What a chat app remembers between runs: its registration and its tokens, in
// a file. It is the OAuthClientProvider of both SDKs.

import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

export class Memory {
  #file;
  #kept;

  constructor(file, redirectUrl) {
    this.#file = file;
    this.#kept = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
    this.#kept.redirectUrl ??= redirectUrl;
    this.sentTo = null; // where the person was asked to go
  }

  get(key) {
    return this.#kept[key];
  }

  set(key, value) {
    this.#kept[key] = value;
    writeFileSync(this.#file, JSON.stringify(this.#kept));
  }

  get redirectUrl() {
    return this.#kept.redirectUrl;
  }

  get clientMetadata() {
    return {
      client_name: 'Rialto end-to-end test',
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      application_type: 'native',
    };
  }

  state() {
    this.set('state', randomUUID());
    return this.#kept.state;
  }

  clientInformation() {
    return this.#kept.client;
  }

  saveClientInformation(client) {
    this.set('client', client);
  }

  tokens() {
    return this.#kept.tokens;
  }

  saveTokens(tokens) {
    this.set('tokens', tokens);
  }

  saveCodeVerifier(verifier) {
    this.set('verifier', verifier);
  }

  codeVerifier() {
    return this.#kept.verifier;
  }

  saveDiscoveryState(state) {
    this.set('discovery', state);
  }

  discoveryState() {
    return this.#kept.discovery;
  }

  redirectToAuthorization(url) {
    this.sentTo = url;
  }

  /** Spoils the access token, so that the next request needs a refresh. */
  loseAccessToken() {
    this.saveTokens({ ...this.tokens(), access_token: 'an.expired.token' });
  }
}
