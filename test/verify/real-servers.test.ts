// @module-tag thorough
// Real servers with their documents: each finding was compared with its request and answer, and is true.
import { existsSync, mkdirSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { expect, it } from 'vitest';
import { createFolder } from '../folders.js';
import { ALERTMANAGER } from '../recording/services/alertmanager.js';
import { ARIA2 } from '../recording/services/aria2.js';
import { ETCD } from '../recording/services/etcd.js';
import { POWERDNS, POWERDNS_SCHEMA } from '../recording/services/powerdns.js';
import { findProgram, start } from '../recording/services/service.js';
import { SYNCTHING } from '../recording/services/syncthing.js';
import { verifyAt } from './verify-in-test.js';

const EMPTY_BODY = '{}';

it.for([
  {
    name: 'Alertmanager',
    needs: ['prometheus-alertmanager'],
    service: ALERTMANAGER,
    findings: [
      // The framework answers an object, and the document declares a string.
      'BODY_WRONG postSilences postAlerts {"a":',
      'INVALID_ACCEPTED getAlerts /alerts?active=abc',
    ],
  },
  {
    name: 'PowerDNS',
    needs: ['pdns_server', 'sqlite3', POWERDNS_SCHEMA],
    service: POWERDNS,
    // The document does not require a name.
    findings: [`VALID_REFUSED createZone ${EMPTY_BODY}`],
  },
  {
    name: 'etcd',
    needs: ['etcd'],
    service: ETCD,
    findings: [
      // The document does not require a key.
      `VALID_REFUSED Put ${EMPTY_BODY}`,
      `VALID_REFUSED Range ${EMPTY_BODY}`,
      `VALID_REFUSED DeleteRange ${EMPTY_BODY}`,
      // 64-bit integers are declared as strings, and numbers are accepted.
      'INVALID_ACCEPTED Range 12345',
      'INVALID_ACCEPTED DeleteRange 12345',
      'INVALID_ACCEPTED LeaseGrant /v3/lease/grant',
      `INVALID_ACCEPTED LeaseGrant ${EMPTY_BODY}`,
      // Invalid bodies are answered with 500.
      'SERVER_ERROR Watch abc',
      'SERVER_ERROR Watch {"a":',
    ],
  },
  {
    name: 'aria2',
    needs: ['aria2c'],
    service: ARIA2,
    findings: ['SERVER_ERROR call /jsonrpc', 'SERVER_ERROR call {"a":'],
  },
  {
    name: 'Syncthing',
    needs: ['syncthing'],
    service: SYNCTHING,
    findings: [
      'BODY_WRONG listFolders /rest/config/folders',
      // The document does not require an id.
      `SERVER_ERROR addFolder ${EMPTY_BODY}`,
      `SERVER_ERROR addFolder ${EMPTY_BODY}`,
    ],
  },
])('$name has exactly the differences that it has', async ({ needs, service, findings }, context) => {
  const missing = needs.filter((each) => (isAbsolute(each) ? !existsSync(each) : findProgram(each) === undefined));
  if (missing.length > 0) context.skip(`${missing.join(', ')} is not installed: see the packages in .ci/run`);
  const folder = join(createFolder(), 'server');
  mkdirSync(folder);
  const server = await start(service, folder);
  const limits = { timeoutMs: 3000, budgetMs: 120_000 };
  const { findings: found } = await verifyAt(server.url, service.spec, { headers: service.headers, ...limits });
  const rest = [...findings];
  for (const { code, operations, message, request } of found) {
    const text = `${request.target} ${request.body ?? ''}`;
    const at = rest.findIndex((each) => {
      const what = `${code} ${operations.join(' ')} `;
      return each.startsWith(what) && text.includes(each.slice(what.length));
    });
    if (at === -1) expect.fail(`${code} ${operations.join(' ')}: ${message} (${text})`);
    rest.splice(at, 1);
  }
  expect(rest).toEqual([]);
});
