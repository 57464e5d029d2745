/** Schemas that several project resources share. */
import Type, { type Static } from 'typebox'
import { LOG_FORMATS, type LogFormat } from '#workers'
import { EXAMPLE_ID, fields } from '../../core/auth/records.js'
import { nullable } from '../../core/nullable.js'
import { WHOLE_CHARACTERS } from '../../core/patterns.js'
import { LISTS_BYTES, LISTS_LIMIT, type PublishedContent, XML_BYTES } from './content.js'
import { EVENT_BYTES, LOCATION_CHARACTERS, SESSION_ID_CHARACTERS } from '#requests'
import type { SemanticCounts } from './measure.js'

export const DESCRIPTION_CHARACTERS = 2000
export const DECODERS_EXAMPLE = '<decoder name="vpn">\n  <program_name>^vpnd$</program_name>\n</decoder>\n'
export const RULES_EXAMPLE =
  '<group name="vpn,">\n  <rule id="100100" level="3">\n    <decoded_as>vpn</decoded_as>\n    <description>VPN: event</description>\n  </rule>\n</group>\n'

const LIST_NAME_CHARACTERS = 255
const LIST = { name: 'etc/lists/watched-addresses', content: '203.0.113.7:scanner\n198.51.100.:partner network\n' }

export const ContentListRecord = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: LIST_NAME_CHARACTERS,
      pattern: WHOLE_CHARACTERS,
      examples: [LIST.name],
      description: 'Path by which rules name the list, without `.cdb`. It replaces a list with the same name on disk.',
    }),
    content: Type.String({ maxLength: LISTS_BYTES, pattern: WHOLE_CHARACTERS, examples: [LIST.content], description: 'Text of the list: lines of `key:value` or `key:`.' }),
  },
  { $id: 'ContentList', description: 'A CDB list.' },
)

/** For request schemas. */
export const LISTS_DESCRIPTION = 'All lists, which replace the current ones. Each name once, at most 2 MB of UTF-8 together. They are stored sorted by name.'

export const projectFields = {
  id: (description: string) => Type.String({ examples: [EXAMPLE_ID], description }),
  idOrNull: (description: string) => nullable(Type.String({ examples: [EXAMPLE_ID] }), description),
  description: (description: string) => fields.text(DESCRIPTION_CHARACTERS, description),
  xml: (description: string, options: { readonly examples?: readonly string[] } = {}) => Type.String({ maxLength: XML_BYTES, pattern: WHOLE_CHARACTERS, ...options, description }),
  lists: (description: string) => Type.Array(ContentListRecord, { maxItems: LISTS_LIMIT, examples: [[LIST]], description }),
  event: (description: string) => Type.String({ maxLength: EVENT_BYTES, pattern: WHOLE_CHARACTERS, description }),
  logFormat: (description: string) => Type.Enum([...LOG_FORMATS] as [LogFormat, ...LogFormat[]], { description }),
  sessionId: (description: string) => Type.String({ maxLength: SESSION_ID_CHARACTERS, pattern: WHOLE_CHARACTERS, description }),
  location: (description: string) => Type.String({ maxLength: LOCATION_CHARACTERS, pattern: WHOLE_CHARACTERS, description }),
}

export const ProjectParams = Type.Object({ project_id: fields.id('The project.') })

export function presentLists(lists: PublishedContent['lists']): Static<typeof ContentListRecord>[] {
  return lists.map(({ name, content }) => ({ name, content }))
}

/** A record of numbers by name. */
export const countsBy = (description: string) => Type.Record(Type.String(), Type.Integer({ minimum: 0 }), { description })

const count = (description: string) => Type.Integer({ minimum: 0, description })

export const SemanticCountsRecord = Type.Object(
  {
    total_rules: count('Number of rules.'),
    total_decoders: count('Number of decoders.'),
    total_lists: count('Number of lists.'),
    root_decoders: count('Number of decoders without a parent.'),
    terminal_decoders: count('Number of decoders without children.'),
    correlation_rules: count('Number of rules that count events or compare them with earlier ones.'),
    attack_tagged_rules: count('Number of rules with ATT&CK techniques.'),
    silent_rules: count('Number of rules of level 0.'),
    attack_techniques: count('Number of different ATT&CK techniques.'),
  } satisfies Record<keyof SemanticCounts, unknown>,
  { $id: 'SemanticCounts', description: "Numbers of rules, decoders and lists in the project's own content." },
)
