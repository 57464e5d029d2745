/** Host and program after a syslog timestamp (BEHAVIOUR.md#host-and-program). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { predecode } from '../../../engine/predecoding/predecode.js'

const ORIGIN = { location: 'stdin', agentId: '000', agentName: undefined }
/** Timestamps that end at different columns. */
const TIMES = ['2020-03-09 08:15:30,412 ', '2020 Nov 17 08:15:30 ']

type Case = readonly [text: string, hostname: string | undefined, programName: string | undefined, log: string]

const CASES: readonly Case[] = [
  // rule 1 to 4
  ['host app: m', 'host', 'app', 'm'],
  [' host app: m', 'host', 'app', 'm'],
  ['  app: m', '', 'app', 'm'],
  ['app: m', undefined, 'app', 'm'],
  [' : m', undefined, '', 'm'],
  ['app:m', undefined, undefined, 'app:m'],
  ['host', undefined, undefined, 'host'],
  [' ?x y', undefined, undefined, '?x y'],
  ['', undefined, undefined, ''],
  // rule 5, colon
  ['host app:m', 'host', 'app', 'm'],
  ['host app:  m', 'host', 'app', ' m'],
  ['host : m', 'host', '', 'm'],
  ['host a-b.c/d@e_(f): m', 'host', 'a-b.c/d@e_(f)', 'm'],
  ['host app+: m', 'host', undefined, 'app+: m'],
  ['host app', 'host', undefined, 'app'],
  // rule 5, bracket
  ['host app[12]: m', 'host', 'app', 'm'],
  ['host app[12]:m', 'host', 'app', 'm'],
  ['host app[12] m', 'host', 'app', 'm'],
  ['host app[12]m', 'host', undefined, 'app[12]m'],
  ['host app[12x]: m', 'host', undefined, 'app[12x]: m'],
  ['host app[x]: m', 'host', undefined, 'app[x]: m'],
  ['host app[12', 'host', undefined, 'app[12'],
  // rule 5, AIX
  ['host kern|daemon:warn app: m', 'host', 'app', 'm'],
  ['host kern|daemon:warn app[3]: m', 'host', 'app', 'm'],
  ['host kern|daemon:warn app[3] m', 'host', 'app', 'kern|daemon:warn app'],
  ['host kern|daemon:warn app m', 'host', 'app m', ' m'],
  ['host kern|daemon:warn app:m', 'host', 'app:m', ':m'],
  ['host kern|Daemon:warn app: m', 'host', undefined, 'kern|Daemon:warn app: m'],
  ['host kern|daemon app: m', 'host', undefined, 'kern|daemon app: m'],
  ['host kern|daemon:warn: m', 'host', undefined, 'kern|daemon:warn: m'],
  // rule 6, Solaris
  ['host app: [ID 4711 kern.info] m', 'host', 'app', 'm'],
  ['app: [ID 4711 kern.info] m', undefined, 'app', 'm'],
  ['host app[1]: [ID 1]xm', 'host', 'app', 'm'],
  ['host app: [ID 1]', 'host', 'app', ''],
  ['host app: [ID 4711 m', 'host', 'app', '[ID 4711 m'],
  ['host app: [IDX 1] m', 'host', 'app', '[IDX 1] m'],
  ['host [ID 1] m', 'host', undefined, '[ID 1] m'],
]

for (const [text, hostname, programName, log] of CASES) {
  test(`${JSON.stringify(text)} is split into host and program, at any column`, () => {
    for (const time of TIMES) {
      const event = predecode(time + text, ORIGIN, 0)
      assert.deepEqual([event.hostname, event.programName, event.log], [hostname, programName, log])
    }
  })
}

/** Texts for a search that matched nothing at the start of the log (BEHAVIOUR.md#text-after-a-match). */
const FOLLOWS: readonly (readonly [text: string, follows: boolean])[] = [
  ['?', false],
  [' ?', true],
  ['host app', false],
  ['host app:m', false],
  ['host app: m', true],
  ['host app[1]:m', true],
  ['host app[1]: m', true],
  ['host app[1] m', true],
  ['host app:[ID 1] m', true],
  ['host kern|daemon:warn app: m', true],
]

for (const [text, follows] of FOLLOWS) {
  test(`${JSON.stringify(text)} ${follows ? 'keeps' : 'does not keep'} the byte before the log`, () => assert.equal(predecode(TIMES[0] + text, ORIGIN, 0).logFollowsByte, follows))
}
