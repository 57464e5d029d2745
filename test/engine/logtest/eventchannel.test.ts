import assert from 'node:assert/strict'
import { test } from 'node:test'
import { agentForm } from '../../../engine/predecoding/windows-xml.js'
import { run } from './small-ruleset.js'

/** Example events of the event channel. */
const SYSTEM =
  "<System><Provider Name='Microsoft-Windows-Security-Auditing' Guid='{54849625}'/><EventID Qualifiers='16384'>4624</EventID><Level>0</Level>" +
  "<Keywords>0x8020000000000000</Keywords><TimeCreated SystemTime='2021-01-01T00:00:00.123Z'/><Correlation ActivityID='{1}'/>" +
  "<Execution ProcessID='696' ThreadID='740'/><Channel>Security</Channel><Computer>WIN-1</Computer><Security UserID='S-1-5-18'/></System>"
const DATA =
  "<EventData><Data Name='SubjectUserName'>-</Data><Data Name='Path'>C:\\Windows\\</Data><Data Name='categoryId'>%%8273</Data>" +
  "<Data Name='SubcategoryId'>%%12544</Data><Data Name='AuditPolicyChanges'>%%8449, %%8451</Data><Data>one</Data><Data>two </Data><Binary>0102</Binary></EventData>"
const FIELDS = {
  'win.system.providerName': 'Microsoft-Windows-Security-Auditing',
  'win.system.providerGuid': '{54849625}',
  'win.system.eventID': '4624',
  'win.system.level': '0',
  'win.system.keywords': '0x8020000000000000',
  'win.system.systemTime': '2021-01-01T00:00:00.123Z',
  'win.system.processID': '696',
  'win.system.threadID': '740',
  'win.system.channel': 'Security',
  'win.system.computer': 'WIN-1',
  'win.system.severityValue': 'AUDIT_SUCCESS',
  'win.system.message': '"Logged on.\r\n\tUser: "x""',
  'win.eventdata.path': 'C:\\\\Windows\\\\',
  'win.eventdata.categoryId': '%%8273',
  'win.eventdata.subcategoryId': '%%12544',
  'win.eventdata.auditPolicyChangesId': '%%8449, %%8451',
  'win.eventdata.binary': '0102',
  'win.eventdata.category': 'Logon/Logoff',
  'win.eventdata.subcategory': 'Logon',
  'win.eventdata.auditPolicyChanges': 'Success added, Failure added',
  'win.eventdata.data': 'one, two',
}

test('an event from an agent becomes win.* fields, and the built-in decoder is reported', () => {
  const event = JSON.stringify({ Message: 'Logged on.\r\n\tUser: "x"', Event: `<Event xmlns='http://schemas.microsoft.com/win/2004/08/events/event'>${SYSTEM}${DATA}</Event>` })
  const report = run(event, { log_format: 'eventchannel' })
  assert.deepEqual(Object.entries(report.extracted_fields), Object.entries(FIELDS))
  assert.equal(report.decoder?.name, 'windows_eventchannel')
  assert.equal(report.rule?.id, '100011')
  assert.equal(report.predecoded.program_name, null)
  assert.deepEqual(
    report.trace.filter(({ phase }) => phase === 'decode'),
    [{ phase: 'decode', name: 'windows_eventchannel', matched: true, details: { condition: 'built-in' } }],
  )
})

test('other sections become an object named after their child', () => {
  const event = JSON.stringify({
    Message: 'm',
    Event:
      "<Event><System><Level>4</Level><Keywords>0x80</Keywords></System><UserData><LogFileCleared xmlns='x'><SubjectUserName>bob</SubjectUserName><Channel>-</Channel></LogFileCleared></UserData></Event>",
  })
  assert.deepEqual(run(event).extracted_fields, {
    'win.system.level': '4',
    'win.system.keywords': '0x80',
    'win.system.severityValue': 'INFORMATION',
    'win.system.message': '"m"',
    'win.logFileCleared.subjectUserName': 'bob',
  })
})

test('attributes in double quotes make the XML invalid, and only the message remains', () => {
  const event = JSON.stringify({ Message: 'm', Event: '<Event><System><EventID>1</EventID></System><EventData><Data Name="X">1</Data></EventData></Event>' })
  assert.deepEqual(run(event).extracted_fields, { 'win.system.message': '"m"' })
})

test('an event that is not a Windows event is dropped, with a diagnostic', () => {
  const report = run('{"Text": "m"}', { log_format: 'eventchannel' })
  assert.equal(report.ok, false)
  assert.equal(report.rule, null)
  assert.deepEqual(
    report.diagnostics.map(({ code, severity }) => [code, severity]),
    [['session_event_dropped', 'error']],
  )
})

test('a null message and a missing message are handled', () => {
  const xml = '<Event><System><EventID>1</EventID></System></Event>'
  assert.equal(run(JSON.stringify({ Message: null, Event: xml })).extracted_fields['win.system.message'], 'null')
  assert.equal(run(JSON.stringify({ Event: xml })).extracted_fields['win.system.message'], undefined)
})

test('raw event XML has the same fields as an event from an agent', () => {
  const agent = run(JSON.stringify({ Message: 'Logged "on"', Event: `<Event>${SYSTEM}${DATA}</Event>` })).extracted_fields
  const raw = `- <Event xmlns="http://schemas.microsoft.com/win/2004/08/events/event">\n  ${SYSTEM.replaceAll("'", '"').replaceAll('><', '>\n    <')}\n  ${DATA.replaceAll("'", '"')}
  <RenderingInfo Culture="en-US"><Message>Logged &quot;on&quot;</Message><Level>Information</Level></RenderingInfo></Event>`
  assert.deepEqual(run(raw).extracted_fields, agent)
  const prefixed = `<?xml version="1.0"?><Events><e:Event xmlns:e="x"><e:System><e:EventID>4624</e:EventID></e:System><e:EventData><e:Data Name="TargetUserName">Bob &amp; &lt;x&gt; &#233;</e:Data></e:EventData></e:Event><Event/></Events>`
  assert.deepEqual(run(prefixed).extracted_fields, { 'win.system.eventID': '4624', 'win.eventdata.targetUserName': 'Bob &amp; &lt;x&gt; é' })
  assert.equal(run(prefixed).rule?.description, 'logon of Bob &amp; &lt;x&gt; é')
})

test('broken XML is dropped and never thrown', () => {
  for (const event of ['<Event', '<Event><System>', '<Event></System>', `<Event>${'<a>'.repeat(5000)}`]) assert.equal(run(event, { log_format: 'eventchannel' }).ok, false)
})

test('an event after a Windows event is decoded as usual', () => {
  run(JSON.stringify({ Event: '<Event><System><EventID>4624</EventID></System></Event>' }))
  assert.equal(run('Nov 17 08:15:30 gate doord[42]: opened by bob from 192.0.2.7 badge=17').rule?.id, '100002')
})

test('XML of 64 levels is read, and deeper XML is not', () => {
  const nested = (depth: number): string => `<Event>${'<a>'.repeat(depth - 1)}${'</a>'.repeat(depth - 1)}</Event>`
  assert.notEqual(agentForm(nested(64)), null)
  assert.equal(agentForm(nested(65)), null)
})

const fieldsOf = (event: string): Record<string, string> => run(event, { log_format: 'eventchannel' }).extracted_fields as Record<string, string>

test('level and keywords are read from their heads, as C reads numbers', () => {
  const severity = (level: string, keywords: string): string | undefined =>
    fieldsOf(JSON.stringify({ Event: `<Event><System><Level>${level}</Level><Keywords>${keywords}</Keywords></System></Event>` }))['win.system.severityValue']
  const [success, failure] = ['0x8020000000000000', '0x8010000000000000']
  for (const zero of ['', 'high', '4294967296', '-4294967296', '-9223372036854775808', '-9999999999999999999', '\t2']) {
    assert.deepEqual([severity(zero, success), severity(zero, failure)], ['AUDIT_SUCCESS', 'AUDIT_FAILURE'], zero)
  }
  assert.deepEqual(
    ['2x', ' 2', '+2', '4294967298', '-4294967294'].map((level) => severity(level, success)),
    Array(5).fill('ERROR'),
  )
  // Over 64 bits it is the largest number, whose lower half is -1.
  assert.deepEqual(
    ['-1', '9', '9'.repeat(60)].map((level) => severity(level, success)),
    Array(3).fill('UNKNOWN'),
  )
  assert.deepEqual(
    ['-1', ` ${failure}`, '10000000000000', `${'f'.repeat(17)}`, '-0xffefffffffffffff'].map((keywords) => severity('0', keywords)),
    Array(5).fill('AUDIT_FAILURE'),
  )
  assert.deepEqual(
    ['', '0x', 'zero', '0x80', '-1000000000000000'].map((keywords) => severity('0', keywords)),
    Array(5).fill('UNKNOWN'),
  )
})

test('a message of any type is its JSON, with the short escapes resolved', () => {
  const message = (json: string): string | undefined => fieldsOf(`{"Message": ${json}, "Event": "<Event/>"}`)['win.system.message']
  for (const json of ['true', 'null', '1.5', '-0', '{}', '[]', '[1,"a",{"b":null}]']) assert.equal(message(json), json)
  assert.equal(message('{ "shelf" : [ 1.25 , "b4" ] }'), '{"shelf":[1.25,"b4"]}')
  assert.equal(message('1e-7'), '1e-07')
  assert.equal(message('1e400'), 'null')
  assert.equal(message('"a\\u0001b\\u001b\\n\\"\\u00e9\\\\"'), '"a\\u0001b\\u001b\n"é\\"')
  assert.equal(message('{"a":"\\u0001\\n"}'), '{"a":"\\u0001\n"}')
})

test('an event of any type is run, and its JSON is searched for XML', () => {
  const got = (json: string): Record<string, string> => fieldsOf(`{"Message":"m","Event":${json}}`)
  for (const json of ['null', '{}', '{"a":1}', '7', '[]', '""']) assert.deepEqual(got(json), { 'win.system.message': '"m"' }, json)
  const xml = '"<Event><System><EventID>5</EventID></System></Event>"'
  for (const json of [xml, `{"a":${xml}}`, `[1,${xml}]`]) assert.deepEqual(got(json), { 'win.system.eventID': '5', 'win.system.message': '"m"' }, json)
  // The first member of a name counts, in any case.
  assert.deepEqual(fieldsOf(`{"EVENT":null,"Event":${xml},"message":1,"Message":2}`), { 'win.system.message': '1' })
  for (const event of ['{"Message":"m"}', '{"Event":"<Event/>"', '[{"Event":"<Event/>"}]', '{"Event":"<Event/>" "x"}', '{"a":tru,"Event":"<Event/>"}', '{"Event":1,}']) {
    assert.equal(run(event, { log_format: 'eventchannel' }).ok, false, event)
  }
})

test('another section is named after its last child, and audit ids are read from the head of each part', () => {
  const got = (inside: string): Record<string, string> => fieldsOf(JSON.stringify({ Event: `<Event>${inside}</Event>` }))
  assert.deepEqual(got('<UserData><box><shelf>b4</shelf></box><lid>open</lid></UserData>'), { 'win.lid.shelf': 'b4' })
  assert.deepEqual(got('<UserData><lid>open</lid></UserData>'), {})
  const changes = (text: string): string | undefined => got(`<EventData><Data Name='AuditPolicyChanges'>${text}</Data></EventData>`)['win.eventdata.auditPolicyChanges']
  assert.equal(changes('%%8448 %%8450'), 'Success removed')
  assert.equal(changes('%%8448 %%8450, %%8451x,%%1'), 'Success removed, Failure added')
})
