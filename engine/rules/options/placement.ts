/** Tags that say under which rules a rule stands, and whose history it searches (engine-rules.md 2.5, 3.2). */
import type { XmlElement } from '../../xml/node.js'
import type { RuleReader } from '../parse.js'
import type { RuleOption } from './option.js'

type JoinedTag = 'ifSid' | 'ifLevel' | 'ifGroup' | 'ifMatchedGroup' | 'ifMatchedRegex'

interface Joining {
  /** False: the element is left out. */
  readonly check?: (reader: RuleReader, element: XmlElement) => boolean
  /** What keeps two texts apart: without it the last word of the one and the first of the other become one word. */
  readonly separators?: string
}

function joined(key: JoinedTag, { check, separators = '' }: Joining = {}): RuleOption['read'] {
  return (reader, element) => {
    if (check !== undefined && !check(reader, element)) return
    const before = reader.draft[key] ?? ''
    const tag = element.name.toLowerCase()
    const text = reader.joinText(reader.draft[key], element, tag)
    reader.draft[key] = text
    const isSeparator = (char: string): boolean => char === '' || separators.includes(char)
    const glued = separators !== '' && !isSeparator(before.slice(-1)) && !isSeparator(element.content.slice(0, 1))
    if (glued && text !== null) reader.report('rule_repeat_glued', element, { tag, value: text })
  }
}

const DIGITS = /^[0-9]*$/

export const PLACEMENT_OPTIONS: readonly RuleOption[] = [
  {
    name: 'if_sid',
    part: 'placement',
    repeat: 'joined',
    help: 'Ids of parent rules, separated by commas or blanks. The rule is tried after a parent matched.',
    attributes: [],
    values: [],
    example: '<if_sid>5710, 5716</if_sid>',
    read: joined('ifSid', { separators: ' ,' }),
  },
  {
    name: 'if_level',
    part: 'placement',
    repeat: 'joined',
    help: 'Puts the rule under every rule of at least this level. Level 0 counts as 99 here, so it sees practically every event.',
    attributes: [],
    values: [],
    example: '<if_level>7</if_level>',
    read: joined('ifLevel', {
      check: (reader, element) => {
        if (DIGITS.test(element.content)) return true
        reader.skip('rule_if_level_invalid', element, { value: element.content })
        return false
      },
    }),
  },
  {
    name: 'if_group',
    part: 'placement',
    repeat: 'joined',
    help: 'Puts the rule under every rule, loaded before, whose groups contain this text; "|" separates alternatives.',
    attributes: [],
    values: [],
    example: '<if_group>authentication_failed</if_group>',
    read: joined('ifGroup', { separators: '|' }),
  },
  {
    name: 'if_matched_sid',
    part: 'correlation',
    repeat: 'last',
    help: 'Counts earlier events that ended in this one rule.',
    attributes: [],
    values: [],
    example: '<if_matched_sid>5716</if_matched_sid>',
    read: (reader, element) => {
      if (!DIGITS.test(element.content)) return reader.skip('rule_if_matched_sid_invalid', element, { value: element.content })
      reader.draft.ifMatchedSid = element.content
    },
  },
  {
    name: 'if_matched_group',
    part: 'correlation',
    repeat: 'joined',
    help: 'Counts earlier events that ended in a rule, loaded before, whose groups match this text.',
    attributes: [],
    values: [],
    example: '<if_matched_group>authentication_failed</if_matched_group>',
    read: joined('ifMatchedGroup', { separators: '|' }),
  },
  {
    name: 'if_matched_regex',
    part: 'correlation',
    repeat: 'joined',
    help: 'Counts earlier events of the same decoder type whose log matches this OSRegex.',
    attributes: [],
    values: [],
    example: '<if_matched_regex>^Failed</if_matched_regex>',
    read: joined('ifMatchedRegex'),
  },
]
