import assert from 'node:assert/strict'
import test from 'node:test'
import { compileRuleset, EventRunner, STATIC_FIELDS } from '../../../engine/index.js'
import { predecode } from '../../../engine/predecoding/predecode.js'

const NEVER = '<decoder name="zz-pn"><program_name>^zz-never$</program_name></decoder>'
const ORIGIN = { location: 'stdin', agentId: '000', agentName: undefined }

/** Runs one built-in extractor over a log; the rules file holds rule 100 for imported alerts. */
function run(
  plugin: string,
  log: string,
  options = '',
): { statics: Record<string, string>; dynamic: [string, string][]; type: string; importedRule: number | null; location: string; log: string } {
  const ruleset = compileRuleset([
    {
      kind: 'decoders',
      scope: 'adhoc',
      filename: 'a.xml',
      content: `<decoder name="p"><prematch>^</prematch><plugin_decoder>${plugin}</plugin_decoder>${options}</decoder>${NEVER}`,
    },
    {
      kind: 'rules',
      scope: 'adhoc',
      filename: 'a.xml',
      content:
        '<group name="g,"><rule id="1" level="0" noalert="1"><category>syslog</category><description>t</description></rule><rule id="100" level="3"><match>never</match><description>r</description></rule></group>',
    },
  ])
  assert.ok(ruleset.loads)
  const event = predecode(log, ORIGIN, 0)
  new EventRunner(ruleset).decoders.run(event, null, null)
  const statics = Object.fromEntries(STATIC_FIELDS.flatMap((name, index) => (event.statics[index] === undefined ? [] : [[name, event.statics[index] as string]])))
  return {
    statics,
    dynamic: event.names.map((name, index) => [name, event.valueAt(index)]),
    type: event.type,
    importedRule: event.importedRule,
    location: event.location,
    log: event.log,
  }
}

test('PF_Decoder splits addresses at the fourth dot and names the protocol by one letter', () => {
  assert.deepEqual(run('PF_Decoder', 'rule 7/(match) pass in on em1: 192.0.2.5.4321 > 198.51.100.9.53:  udp 40').statics, {
    srcip: '192.0.2.5',
    dstip: '198.51.100.9',
    srcport: '4321',
    dstport: '53',
    protocol: 'UDP',
    action: 'pass',
  })
  assert.deepEqual(run('PF_Decoder', '(m) block out on em1: 192.0.2.5 > 192.0.2.6: icmp: ping').statics, {
    srcip: '192.0.2.5',
    dstip: '192.0.2.6',
    protocol: 'ICMP',
    action: 'block',
  })
})

test('PF_Decoder keeps the fields that it has set when a later step stops', () => {
  assert.deepEqual(run('PF_Decoder', '(m) pass out on em1: 192.0.2.5.99 nothing more').statics, { srcip: '192.0.2.5', srcport: '99', action: 'pass' })
  assert.deepEqual(run('PF_Decoder', '(m) scrub out').statics, {})
})

test('SonicWall_Decoder sets type and action by category and message id', () => {
  const passed = run('SonicWall_Decoder', 'pri=4 c=16 m=98 n=1 src=192.0.2.5:4321:X1 dst=198.51.100.9:443:X2 proto=tcp/443')
  assert.deepEqual([passed.type, passed.statics.action, passed.statics.protocol, passed.statics.id], ['firewall', 'pass', 'tcp', '98'])
  assert.equal(run('SonicWall_Decoder', 'pri=2 c=32 m=5 n=7 src=192.0.2.5:4321:X1 dst=198.51.100.9:443:X2').type, 'ids')
  assert.equal(run('SonicWall_Decoder', 'pri=4 c=16 m=36 n=1 src=192.0.2.5:4321:X1 dst=198.51.100.9:443:X2 ').statics.action, 'drop')
  assert.deepEqual(run('SonicWall_Decoder', 'nothing of it').statics, {})
})

test('SymantecWS_Decoder puts the key into the id and keeps the first value of each field', () => {
  assert.deepEqual(run('SymantecWS_Decoder', '20200309,8153,1=5,11=192.0.2.5,10=eve,3=1,2=1').statics, { srcip: '192.0.2.5', dstuser: 'eve', id: '3=1,2=1' })
  assert.deepEqual(run('SymantecWS_Decoder', 'x,10=first,10=second').statics, { dstuser: 'first' })
  assert.deepEqual(run('SymantecWS_Decoder', 'no comma').statics, {})
})

test('SymantecWS_Decoder cuts users and addresses at 128 bytes, and URLs at 1024', () => {
  const lengths = (extra: number): number[] =>
    Object.values(run('SymantecWS_Decoder', `x,10=${'u'.repeat(128 + extra)},11=${'a'.repeat(128 + extra)},60=${'p'.repeat(1024 + extra)}`).statics).map(({ length }) => length)
  assert.deepEqual(lengths(-1).sort(), [1023, 127, 127])
  for (const extra of [0, 1]) assert.deepEqual(lengths(extra).sort(), [1024, 128, 128])
  assert.equal(run('SymantecWS_Decoder', 'x,2=123,567890').statics.id, '2=123,567')
})

test('OSSECAlert_Decoder returns a rule that is loaded, and otherwise none', () => {
  const imported = run('OSSECAlert_Decoder', 'ossec: Alert Level: 5; Rule: 100 - text; Location: web1->/var/log/x; srcip: 192.0.2.7; user: bob;  the log')
  assert.deepEqual([imported.type, imported.importedRule, imported.location, imported.statics], ['alert', 100, 'stdin|web1->/var/log/x', { srcip: '192.0.2.7', dstuser: 'bob' }])
  assert.equal(run('OSSECAlert_Decoder', 'ossec: Alert Level: 5; Rule: 999 - text; Location: a;  log').importedRule, null)
  for (const id of ['1e2', '0x64', '100.0', '+100', ''])
    assert.equal(run('OSSECAlert_Decoder', `ossec: Alert Level: 5; Rule: ${id} - text; Location: a;  log`).importedRule, null, id)
})

test('OSSECAlert_Decoder cuts the location at 254 bytes and the log at 4,094', () => {
  const cut = (location: number, log: number): number[] => {
    const imported = run('OSSECAlert_Decoder', `ossec: Alert Level: 5; Rule: 100 - text; Location: ${'l'.repeat(location - 'stdin|'.length)};  ${'x'.repeat(log)}`)
    return [imported.location.length, imported.log.length]
  }
  assert.deepEqual(cut(253, 4093), [253, 4093])
  assert.deepEqual(
    [cut(254, 4094), cut(255, 4095)],
    [
      [254, 4094],
      [254, 4094],
    ],
  )
})

test('JSON_Decoder maps whole names to static fields, and follows its options for null and arrays', () => {
  const plain = run('JSON_Decoder', '{"user":"u","dstuser":"d","x":{"srcip":"1"},"a":[1,{}],"n":null}')
  assert.deepEqual(plain.statics, { dstuser: 'd' })
  assert.deepEqual(plain.dynamic, [
    ['x.srcip', '1'],
    ['a', '[1, {\n\t}]'],
    ['n', 'null'],
  ])
  const options = '<json_array_structure>csv</json_array_structure><json_null_field>discard</json_null_field>'
  assert.deepEqual(run('JSON_Decoder', '{"a":[1,{}],"n":null}', options).dynamic, [['a', '1,']])
  assert.deepEqual(run('JSON_Decoder', '{"a":1,}').dynamic, [])
})
