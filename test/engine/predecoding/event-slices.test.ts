/** The reader of slices against the reader of everything: what the first one reads, both must read alike. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FlatFields } from '../../../engine/json/flat-fields.js'
import { flattenJson } from '../../../engine/json/flatten.js'
import { JsonPath } from '../../../engine/json/paths.js'
import { EventSlicer } from '../../../engine/predecoding/event-slices.js'
import { readEventchannel } from '../../../engine/predecoding/eventchannel.js'
import { cutAtNul, toByteString } from '../../../engine/source/byte-string.js'
import { Random } from '../../parity/random/random.js'

const RUNS = 20_000
const MOST_CHANGES = 3

const ROOT = JsonPath.root({ find: () => -1, statics: new Map() })

function systemOf(provider: string, id: number, level: number, more = ''): string {
  return (
    `<System><Provider Name='${provider}' Guid='{54849625-5478-4994-a5ba-3e3b0328c30d}'/><EventID Qualifiers='16384'>${id}</EventID><Version>0</Version>` +
    `<Level>${level}</Level><Task>12</Task><Keywords>0x8020000000000000</Keywords><TimeCreated SystemTime='2026-11-29T09:03:40.7Z'/><EventRecordID>506309</EventRecordID>` +
    `<Correlation/><Execution ProcessID='4' ThreadID='88'/><Channel>Security</Channel><Computer>dc1.example.test</Computer><Security UserID='S-1-5-18'/>${more}</System>`
  )
}

const DATA =
  "<EventData><Data Name='SubjectUserName'>ana</Data><Data Name='ProcessName'>C:\\Windows\\System32\\lsass.exe</Data><Data Name='Dash'>-</Data><Data Name='Empty'></Data>" +
  "<Data Name='Quoted'>\"a\" & 'b' </Data><Data Name='None'>(NULL)</Data><Data Name='Lines'>a\r\n\tb</Data><Binary>0102</Binary></EventData>"
const UNNAMED = '<EventData><Data>one </Data><Data>C:\\two</Data><Data>-</Data></EventData>'
const USER_DATA = "<UserData><LogFileCleared xmlns='http://example.test/win'><SubjectUserName>bia</SubjectUserName><Channel>-</Channel></LogFileCleared></UserData>"
const MESSAGE = 'An account was "logged on".\r\n\tName:\tC:\\ana é\b\f'

/** Events in the usual form. */
const USUAL: readonly string[] = [
  { Message: MESSAGE, Event: `<Event xmlns='http://schemas.microsoft.com/win/2004/08/events/event'>${systemOf('Auditing', 4624, 0)}${DATA}</Event>` },
  { Event: `<Event>${systemOf('Auditing', 4624, 4)}${UNNAMED}</Event>` },
  { Event: `<Event>${systemOf('Eventlog', 104, 2)}${USER_DATA}</Event>\n`, Message: 'cleared' },
  { Event: `<Event>${systemOf('Sysmon', 1, 5, '<Processed/>')}${DATA}${USER_DATA}</Event>`, Message: MESSAGE },
  { Message: 'a/b', Event: `<Event>${systemOf('Sysmon', 2, 9)}<EventData/></Event>` },
].map((event) => toByteString(JSON.stringify(event)))

/** What may be where it does not belong. */
const PIECES = [
  ...["'", '"', '\\', '<', '>', '/', '!', '=', ' ', '$', '-', '{', '}', ',', ':', 'null', '[', '\x01', '\n', '\xc3\xa9', '\xff', '\0'],
  ...['\\n', '\\"', '\\\\', '\\/', '\\u0041', '\\u0001', '\\u0000', '\\ud800', '\\x'],
  ...['<!--', '-->', '<! x !>', '<a/>', "<a b='c'/>", "<a b='c' b='d'/>", "<var name='x'>y</var>", '$x', '<x></x>', '<x>y</x>'],
  ...['<Data>', '</Data>', "<Data Name=''>z</Data>", "<Data Name='a' B='c'>z</Data>", "<Data A='a' Name='c'>z</Data>", "<Data Name='CategoryId'>%%8273</Data>"],
  ...['<System>', '</System>', '<EventData>', '</EventData>', '<UserData>', '</UserData>', '<Level>3</Level>', '<Level></Level>', '<Keywords></Keywords>', '</Event>', '<Event>'],
  ...['"Message":"m",', '"event":"e",', '"Text":1,', ',"Message":null'],
]

/** Changes an event at random places, which are often the ends of tags. */
function changed(random: Random, text: string): string {
  let event = text
  for (let left = random.between(1, MOST_CHANGES); left > 0; left--) {
    const tags = [...event.matchAll(/</g)].map(({ index }) => index)
    const anywhere = (): number => random.between(0, event.length)
    const [at, a, b] = [random.chance(0.5) || tags.length === 0 ? anywhere() : random.pick(tags), random.pick([...tags, 0]), random.pick([...tags, event.length])]
    const piece = random.pick(PIECES)
    switch (random.between(0, 4)) {
      case 0:
        event = event.slice(0, at) + piece + event.slice(at)
        break
      case 1:
        event = event.slice(0, at) + event.slice(at + random.between(1, 3))
        break
      case 2:
        event = event.slice(0, at) + piece + event.slice(at + piece.length)
        break
      case 3:
        event = event.slice(0, Math.min(a, b)) + event.slice(Math.max(a, b))
        break
      default:
        event = event.slice(0, at) + event.slice(Math.min(a, b), Math.max(a, b)) + event.slice(at)
    }
  }
  return cutAtNul(event)
}

interface Read {
  readonly log: string
  readonly fields: readonly (readonly [name: string, value: string])[]
}

function fieldsOf(fields: FlatFields, source: string): Read['fields'] {
  fields.fill()
  return Array.from({ length: fields.count }, (_, index) => [fields.names[index], fields.valueAt(index, source)])
}

function readWhole(text: string): Read | null {
  const log = readEventchannel(text)
  const fields = new FlatFields()
  return log !== null && flattenJson(log, 0, ROOT, { nulls: 'discard', arrays: 'array' }, fields) ? { log, fields: fieldsOf(fields, log) } : null
}

function readSlices(slicer: EventSlicer, text: string): Read | null {
  const fields = new FlatFields()
  return slicer.read(text, fields) ? { fields: fieldsOf(fields, text), log: slicer.print(text) } : null
}

test('events in the usual form are read in slices, as the reader of everything reads them', () => {
  const slicer = new EventSlicer(ROOT)
  for (const text of USUAL) {
    const read = readSlices(slicer, text)
    assert.notEqual(read, null, text)
    assert.deepEqual(read, readWhole(text))
  }
})

test('a text of up to 20,479 bytes is read in slices, a longer one is not', () => {
  const slicer = new EventSlicer(ROOT)
  const eventWith = (length: number): string => USUAL[0].replace('>ana<', () => `>${'a'.repeat(length)}<`)
  assert.deepEqual(readSlices(slicer, eventWith(20_479)), readWhole(eventWith(20_479)))
  assert.equal(readSlices(slicer, eventWith(20_480)), null)
})

test('ids of audit categories, and further members of the object, are left to the reader of everything', () => {
  const slicer = new EventSlicer(ROOT)
  for (const name of ['categoryId', 'SubcategoryId', 'AuditPolicyChanges']) assert.equal(readSlices(slicer, USUAL[0].replace('SubjectUserName', name)), null, name)
  assert.equal(readSlices(slicer, USUAL[0].replace('{"', '{"Text":1,"')), null)
})

test('any number of names is read alike, though few of them are kept', () => {
  const slicer = new EventSlicer(ROOT)
  for (let event = 0; event < 60; event++) {
    const names = Array.from({ length: 100 }, (_, index) => `<Data Name='N${event}x${index}'>${index}</Data>`)
    const text = USUAL[0].replace('<Binary>', () => `${names.join('')}<Binary>`)
    for (let round = 0; round < 2; round++) assert.deepEqual(readSlices(slicer, text), readWhole(text))
  }
})

test('changed events are read alike, or left to the reader of everything', () => {
  const slicer = new EventSlicer(ROOT)
  let sliced = 0
  for (let seed = 1; seed <= RUNS; seed++) {
    const random = new Random(seed)
    const text = changed(random, random.pick(USUAL))
    const read = readSlices(slicer, text)
    if (read === null) continue
    sliced++
    assert.deepEqual(read, readWhole(text), `seed ${seed}: ${text}`)
  }
  assert.ok(sliced > RUNS / 50, `${sliced} events are read in slices`)
})
