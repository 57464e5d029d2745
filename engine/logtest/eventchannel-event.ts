/** Decodes a Windows eventchannel event: the built-in decoder `windows_eventchannel` is reported, and no XML decoder is tried. */
import { type CompiledDecoder, DecoderDefinition, ORDER_LIMIT } from '../event/decoder.js'
import { BUILT_IN_DECODERS } from '../decoders/identities.js'
import { takeFields } from '../decoders/plugins/json.js'
import type { Event } from '../event/event.js'
import { flattenJson } from '../json/flatten.js'
import type { EventRunner } from '../match/run-event.js'
import { EventSlicer } from '../predecoding/event-slices.js'
import { readEventchannel } from '../predecoding/eventchannel.js'
import { agentForm } from '../predecoding/windows-xml.js'
import { isWindowsXml } from './detect-format.js'
import { SourceText } from '../source/source-text.js'
import type { XmlElement } from '../xml/node.js'

const NAME = 'windows_eventchannel'
/** A built-in decoder has no file. */
const NO_SOURCE = new SourceText({ filename: '', kind: 'decoders', scope: 'default', content: '' })
const NO_ELEMENT: XmlElement = {
  name: 'decoder',
  attributes: [],
  content: '',
  children: [],
  start: 0,
  end: 0,
  nameEnd: 0,
  contentStart: 0,
  contentEnd: 0,
  pieces: null,
  substituted: false,
}

const DEFINITION = new DecoderDefinition(NO_SOURCE, NO_ELEMENT)
DEFINITION.name = NAME
DEFINITION.type = 'ossec'

export const EVENTCHANNEL_DECODER: CompiledDecoder = {
  definition: DEFINITION,
  name: NAME,
  // Built-in names are interned first, in this order.
  identity: BUILT_IN_DECODERS.indexOf(NAME),
  programName: null,
  prematch: null,
  regex: null,
  prematchPrefilter: -1,
  regexPrefilter: -1,
  regexOffset: 'none',
  plugin: null,
  order: null,
  ftsKeys: [],
  continues: false,
  children: [],
  tried: null,
}

/** Returns the text that an agent would send: the event itself, or the JSON for raw Windows XML. Unicode. */
export function toAgentForm(text: string): string {
  return isWindowsXml(text) ? (agentForm(text) ?? text) : text
}

const SLICERS = new WeakMap<EventRunner, EventSlicer>()

function slicerOf(runner: EventRunner): EventSlicer {
  let slicer = SLICERS.get(runner)
  if (slicer === undefined) SLICERS.set(runner, (slicer = new EventSlicer(runner.decoders.jsonRoot)))
  return slicer
}

/** Decodes an event after pre-decoding. Returns false if the reference engine drops it (not JSON, or no `Event` in it). */
export function decodeEventchannel(event: Event, runner: EventRunner): boolean {
  event.programName = undefined
  event.setTime(-1, -1)
  event.decoder = EVENTCHANNEL_DECODER
  event.type = EVENTCHANNEL_DECODER.definition.type
  const { decoders } = runner
  const { log: received } = event
  const slicer = slicerOf(runner)
  if (slicer.read(received, decoders.flatFields)) {
    event.deferLogs(() => slicer.print(received))
    // The names of all fields begin with `win.`, so none of them is static.
    event.addFields(decoders.flatFields, ORDER_LIMIT, received)
    return true
  }
  const log = readEventchannel(received)
  if (log === null) return false
  event.replaceLogs(log)
  decoders.event = event
  if (flattenJson(log, 0, decoders.jsonRoot, { nulls: 'discard', arrays: 'array' }, decoders.flatFields)) takeFields(decoders, decoders.flatFields)
  return true
}
