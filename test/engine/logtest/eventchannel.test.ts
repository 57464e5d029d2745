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
