// What a script did, one JSON object a line, for the Go test that runs it.

import assert from 'node:assert/strict';

export { assert };

/** Tells that a step is done, with what it saw. */
export function done(step, seen = {}) {
  console.log(JSON.stringify({ step, ...seen }));
}

/** Runs a script's steps; what goes wrong is told and ends the process. */
export async function run(steps) {
  try {
    await steps();
    process.exit(0);
  } catch (err) {
    console.log(JSON.stringify({ failed: String(err?.message ?? err) }));
    console.error(err);
    process.exit(1);
  }
}

/** Returns a variable of the environment that must be there. */
export function env(name) {
  assert.ok(process.env[name], `${name} must be set`);
  return process.env[name];
}
