// The A2A JavaScript SDK 1.x checks the signatures of a card, and signs one.
// Arguments: the card that was signed elsewhere, the keys for it, and where to
// write a card that is signed here, with its keys.

import { readFile, writeFile } from 'node:fs/promises';
import { exportJWK, generateKeyPair, importJWK } from 'jose';
import { AgentCard, generateAgentCardSignature, verifyAgentCardSignature } from 'a2a-js-10';
import { assert, done, run } from './report.mjs';

const [ours, keys, theirs] = process.argv.slice(2);

run(async () => {
  const card = JSON.parse(await readFile(ours, 'utf8'));
  const set = JSON.parse(await readFile(keys, 'utf8'));
  const verify = verifyAgentCardSignature((kid) => importJWK(set.keys.find((key) => key.kid === kid), 'ES256'));
  await verify(card);
  await assert.rejects(verify({ ...card, name: 'Another' }));
  done('verified', { signatures: card.signatures.length });

  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const sign = generateAgentCardSignature(privateKey, { alg: 'ES256', kid: 'theirs', typ: 'JOSE' });
  // It signs the JSON of a card: of its own form of one, it leaves the security
  // schemes out (a2a-js#663).
  const signed = AgentCard.toJSON(AgentCard.fromJSON(await sign({ ...card, signatures: [] })));
  await writeFile(theirs, JSON.stringify({ card: signed, keys: [{ ...await exportJWK(publicKey), kid: 'theirs' }] }));
  done('signed');
});
