/** Headers, host and program of an event (BEHAVIOUR.md#predecoding). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alertHostname } from '../../../engine/predecoding/alert-hostname.js'
import { readLocation } from '../../../engine/predecoding/location.js'
import { predecode } from '../../../engine/predecoding/predecode.js'
import { toByteString } from '../../../engine/source/byte-string.js'

const LOCAL = { location: 'stdin', agentId: '000', agentName: undefined }

interface Expected {
  readonly timestamp?: string
  readonly hostname?: string
  readonly programName?: string
  readonly log: string
  /** Whether the byte before the log is kept (BEHAVIOUR.md#text-after-a-match). */
  readonly follows: boolean
}

function read(text: string): Expected {
  const { timestamp, hostname, programName, log, logFollowsByte } = predecode(toByteString(text), LOCAL, 0)
  return {
    ...(timestamp === undefined ? {} : { timestamp }),
    ...(hostname === undefined ? {} : { hostname }),
    ...(programName === undefined ? {} : { programName }),
    log,
    follows: logFollowsByte,
  }
}

const CASES: readonly (readonly [name: string, text: string, expected: Expected])[] = [
  ['classic', 'Nov 17 08:15:30 gate sshd[12]: hi', { timestamp: 'Nov 17 08:15:30', hostname: 'gate', programName: 'sshd', log: 'hi', follows: true }],
  ['classic with nonsense in its columns', '??? ?? ??:??:?? h p: m', { timestamp: '??? ?? ??:??:??', hostname: 'h', programName: 'p', log: 'm', follows: true }],
  ['classic at its least length', 'Nov 17 08:15:30 x', { timestamp: 'Nov 17 08:15:30', log: 'x', follows: false }],
  ['proftpd', '2020-03-09 08:15:30,412 gate ftpd[1]: m', { timestamp: '2020-03-09 08:15:30,412', hostname: 'gate', programName: 'ftpd', log: 'm', follows: true }],
  ['ISO', '2020-03-09T08:15:30+01:00 gate app: message', { timestamp: '2020-03-09T08:15:30+01:00', hostname: 'gate', programName: 'app', log: 'message', follows: true }],
  [
    'ISO with milliseconds',
    '2020-03-09T08:15:30.412+01:00 gate app: m',
    { timestamp: '2020-03-09T08:15:30.412+01:00', hostname: 'gate', programName: 'app', log: 'm', follows: true },
  ],
  [
    'ISO with microseconds',
    '2020-03-09T08:15:30.412345+01:00 gate app: m',
    { timestamp: '2020-03-09T08:15:30.412345+01:00', hostname: 'gate', programName: 'app', log: 'm', follows: true },
  ],
  // Quirk: any other fraction is always cut at column 32.
  ['ISO with another fraction', '2020-03-09T08:15:30.123Z host sshd[1]: x', { timestamp: '2020-03-09T08:15:30.123Z host s', log: 'hd[1]: x', follows: false }],
  ['year first', '2020 Nov 17 08:15:30 gate app: m', { timestamp: '2020 Nov 17 08:15:30', hostname: 'gate', programName: 'app', log: 'm', follows: true }],
  ['Windows event log text', '2020 Mar 09 08:15:30 WinEvtLog: Security: x', { timestamp: '2020 Mar 09 08:15:30', programName: 'WinEvtLog', log: 'Security: x', follows: true }],
  [
    'macOS unified log',
    '2020-03-09 08:15:30.412345+0100 gate app[1]: m',
    { timestamp: '2020-03-09 08:15:30.412345+0100', hostname: 'gate', programName: 'app', log: 'm', follows: true },
  ],
  ['xferlog', 'Mon Mar 09 08:15:30 2020 1 192.0.2.1 x', { timestamp: 'Mon Mar 09 08:15:30 2020', log: '1 192.0.2.1 x', follows: false }],
  ['snort', '03/09-08:15:30.412345  [**] x', { timestamp: '03/09-08:15:30.412345', log: '[**] x', follows: true }],
  ['suricata', '03/09/2020-08:15:30.412345  [**] x', { timestamp: '03/09/2020-08:15:30.412345', log: '[**] x', follows: true }],
  ['apache', '[Mon Mar 09 08:15:30 2020] [error] x', { timestamp: 'Mon Mar 09 08:15:30 2020', log: '[error] x', follows: true }],
  ['squid', '1583741730.412  10203 192.0.2.5 TCP_MISS/200', { timestamp: '1583741730.412 ', log: '10203 192.0.2.5 TCP_MISS/200', follows: false }],
  ['squid with one blank', '1583741730.412 102030 192.0.2.5 TCP_MISS', { timestamp: '1583741730.412', log: '102030 192.0.2.5 TCP_MISS', follows: false }],
  // macOS asl
  [
    'asl',
    '[Time 2020.03.09 08:15:30 UTC] [Facility user] [Sender appd] [Message login refused] [Host srv1]',
    { hostname: 'srv1', programName: 'appd', log: 'login refused', follows: true },
  ],
  ['asl without a message', '[Time 2020.03.09 08:15:30 UTC] [Facility user] [Sender appd] [x]', { programName: 'appd', log: ' UTC] [Facility user] [Sender appd', follows: true }],
  ['asl whose message is not ended', '[Time 2020.03.09 08:15:30 UTC] [Message a [Host h', { log: 'a [Host h', follows: true }],
  ['asl whose sender is not ended', '[Time 2020.03.09 08:15:30 UTC] [Sender appd', { log: ' UTC] [Sender appd', follows: true }],
  [
    'asl whose second sender and message do not count, and what follows the host',
    '[Time 2020.03.09 08:15:30 UTC] [Sender a] [Sender b] [Message m] [Message n] [Host h] [Host i]',
    { hostname: 'h', programName: 'a', log: 'm', follows: true },
  ],
  // umlaut repair: cut positions are those of the original
  ['a month with an umlaut', 'Mär 09 08:15:30 host p: m', { timestamp: toByteString('Mär 09 08:15:3'), hostname: 'host', programName: 'p', log: 'm', follows: true }],
  ['an umlaut that is no month', 'hält an', { log: toByteString('hält an'), follows: false }],
  // no header
  ['a text too short for the classic form', 'Nov 17 08:15:30 ', { log: 'Nov 17 08:15:30 ', follows: false }],
  ['an ISO header of 32 bytes', '2020-03-09T08:15:30+01:00 h a: m', { log: '2020-03-09T08:15:30+01:00 h a: m', follows: false }],
  ['ISO with Z and no fraction', '2020-03-09T08:15:30Z gate sshd[1]: message', { log: '2020-03-09T08:15:30Z gate sshd[1]: message', follows: false }],
  ['a priority', '<13>Nov 17 08:15:30 h p: m', { log: '<13>Nov 17 08:15:30 h p: m', follows: false }],
  ['JSON', '{"a": 1}', { log: '{"a": 1}', follows: false }],
  ['squid whose third column is no blank', '1583741730.412_10203_192.0.2.5_TCP', { log: '1583741730.412_10203_192.0.2.5_TCP', follows: false }],
  ['the empty text', '', { log: '', follows: false }],
]

for (const [name, text, expected] of CASES) test(`header: ${name}`, () => assert.deepEqual(read(text), expected))

test('JSON after a header is the log of its program', () => {
  assert.deepEqual(read('Nov 17 08:15:30 host app: {"a":1}'), { timestamp: 'Nov 17 08:15:30', hostname: 'host', programName: 'app', log: '{"a":1}', follows: true })
})

test('a NUL byte ends the text', () => {
  const event = predecode('Nov 17 08:15:30 h p: m\0 rest', LOCAL, 7)
  assert.deepEqual([event.fullLog, event.log, event.received], ['Nov 17 08:15:30 h p: m', 'm', 7])
})

test('the host of an alert ends at white space, and not at a byte of a letter', () => {
  const host = (name: string): string | undefined => alertHostname(toByteString(`Nov 17 08:15:30 ${name} p: m`))
  assert.deepEqual(['caffè[1]', 'voilà1', 'a\tb', 'a\u00a0b'].map(host), ['caffè[1]', 'voilà1', 'a', 'a\u00a0b'].map(toByteString))
  assert.equal(alertHostname('nov 17 08:15:30 h p: m'), undefined)
})

test('the host of an agent replaces that of the header', () => {
  const from = (location: string): unknown[] => {
    const origin = readLocation(location)
    assert.ok(origin !== null)
    const event = predecode('Nov 17 08:15:30 gate p: m', origin, 0)
    return [event.agentId, event.location, event.hostname]
  }
  assert.deepEqual(from('/var/log/x'), ['000', '/var/log/x', 'gate'])
  assert.deepEqual(from('[001] (web01) 192.0.2.5->/var/log/x'), ['001', '(web01) 192.0.2.5->/var/log/x', 'web01'])
  assert.deepEqual(from('[001] any->/var/log/x'), ['001', 'any->/var/log/x', ''])
  assert.deepEqual(from('[001] (web01 any'), ['001', '(web01 any', ''])
  assert.deepEqual(from('[001]'), ['001', '', ''])
  assert.deepEqual(from('[001]x'), ['001', '', ''])
  assert.equal(readLocation('[001 x'), null)
})
