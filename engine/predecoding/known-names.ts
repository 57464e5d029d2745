/** The names of elements, attributes and data in Windows events, with the members that they become. */
import { latin1Bytes } from '#platform'
import type { JsonPath } from '../json/paths.js'
import { copyOf } from '../source/byte-string.js'
import { isName } from './byte-tests.js'
import { lowerFirst } from './eventchannel.js'

/** Names of elements and data that are kept for one ruleset. Further ones are looked up in each event. */
const MOST_NAMES = 4096

/** Members of `system` that are attributes, by element and attribute. */
const ATTRIBUTE_MEMBERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Provider: { Name: 'providerName', Guid: 'providerGuid', EventSourceName: 'eventSourceName' },
  TimeCreated: { SystemTime: 'systemTime' },
  Execution: { ProcessID: 'processID', ThreadID: 'threadID' },
}
/** Members whose ids the slow reader replaces by words. */
const AUDITED = new Set(['categoryId', 'subcategoryId', 'auditPolicyChanges'])

/** How an element is read. */
export const PLAIN = 0
export const WITH_ATTRIBUTES = 1
export const KEPT_EMPTY = 2
export const LEVEL = 3
export const KEYWORDS = 4
export const IGNORED = 5
export const AUDIT = 6

const KINDS: Readonly<Record<string, number>> = {
  Provider: WITH_ATTRIBUTES,
  TimeCreated: WITH_ATTRIBUTES,
  Execution: WITH_ATTRIBUTES,
  Channel: KEPT_EMPTY,
  Level: LEVEL,
  Keywords: KEYWORDS,
  Security: IGNORED,
  Correlation: IGNORED,
}

/** The last two names that followed another one. Events of one provider have the same names in the same order. */
export class Follower {
  likely: KnownName | null = null
  other: KnownName | null = null
}

/** A name of an element, an attribute or data, as it is written, with the member that it becomes. */
export class KnownName extends Follower {
  readonly bytes: Uint8Array
  /** Names inside of it. */
  readonly members = new Map<string, KnownName>()
  readonly first = new Follower()

  constructor(
    readonly text: string,
    readonly path: JsonPath,
    readonly kind: number,
  ) {
    super()
    this.bytes = latin1Bytes(text)
  }
}

/** The names of one ruleset and thread. */
export class KnownNames {
  readonly win: KnownName
  readonly system: KnownName
  readonly eventData: KnownName
  #left = MOST_NAMES

  /** @param root the node of the empty path in the ruleset */
  constructor(root: JsonPath) {
    const win = root.child('win')
    this.win = new KnownName('', win, PLAIN)
    this.system = new KnownName('', win.child('system'), PLAIN)
    this.eventData = new KnownName('', win.child('eventdata'), PLAIN)
  }

  /** Returns the known name, which is a guess that holds for nearly every event. @param previous the name before it @param bytes of the text */
  find(parent: KnownName, previous: Follower, text: string, bytes: Uint8Array, start: number, end: number): KnownName {
    const { likely, other } = previous
    if (likely !== null && isName(likely.bytes, bytes, start, end)) return likely
    if (other !== null && isName(other.bytes, bytes, start, end)) {
      previous.other = likely
      previous.likely = other
      return other
    }
    const name = text.slice(start, end)
    let known = parent.members.get(name)
    if (known === undefined) {
      known = this.#make(parent, copyOf(name))
      if (this.#left === 0) return known
      this.#left--
      parent.members.set(known.text, known)
    }
    previous.other = likely
    previous.likely = known
    return known
  }

  #make(parent: KnownName, text: string): KnownName {
    const { path } = parent
    if (parent === this.system) return new KnownName(text, path.child(lowerFirst(text)), Object.hasOwn(KINDS, text) ? KINDS[text] : PLAIN)
    if (parent.kind === WITH_ATTRIBUTES) {
      const members = ATTRIBUTE_MEMBERS[parent.text]
      const isMember = Object.hasOwn(members, text)
      return new KnownName(text, this.system.path.child(isMember ? members[text] : text), isMember ? PLAIN : IGNORED)
    }
    const member = lowerFirst(text)
    return new KnownName(text, path.child(member), parent === this.eventData && AUDITED.has(member) ? AUDIT : PLAIN)
  }
}
