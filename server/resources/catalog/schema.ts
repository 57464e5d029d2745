/** Catalogs of rules and decoders: what is asked, and what is answered (CONTRACT.md#project-records). */
import Type, { type Static } from 'typebox'
import { DECODER_SORTS, RULE_SORTS } from '#workers'
import { fields } from '../../auth/records.js'
import { listQuery } from '../../http/request/list-query.js'
import { nullable } from '../../nullable.js'
import { RULE_ID_LIST, RULE_IDS_LIMIT } from '../../patterns.js'

/** Whose content: that of the project (or workspace) itself, the reference ruleset, the instance's custom content, or all of it. */
export const CATALOG_SCOPES = ['own', 'default', 'custom', 'all'] as const
const FILENAME_CHARACTERS = 255
const NAME_CHARACTERS = 255
const SEARCH_CHARACTERS = 120
/** Wazuh's levels. */
const LEVEL = '(?:1[0-6]|[0-9])'

const text = (maxLength: number, example: string, description: string) => Type.Optional(Type.String({ minLength: 1, maxLength, examples: [example], description }))

/** What both catalogs are asked by. */
const filters = {
  scope: Type.Optional(
    Type.Enum([...CATALOG_SCOPES], {
      default: 'own',
      description: "`own`: the content of the project itself; `default`: the reference ruleset; `custom`: the instance's custom content; `all`: everything that is loaded.",
    }),
  ),
  workspace_id: Type.Optional(fields.id('A workspace of the project: its content is looked at, in place of that of the project.')),
  source_file: text(FILENAME_CHARACTERS, 'project_rules.xml', 'Only what stands in the file of this name.'),
}

export const RuleCatalogQuery = listQuery({
  sort: RULE_SORTS,
  defaultOrder: 'asc',
  filters: {
    ...filters,
    level: Type.Optional(
      Type.String({ pattern: `^${LEVEL}(?:-${LEVEL})?$`, examples: ['5-10'], description: 'Only rules of this level, or of the levels from one to the other: `5`, `5-10`.' }),
    ),
    group: text(NAME_CHARACTERS, 'authentication_failed', 'Only rules of this group, as it is written.'),
    attack_id: text(32, 'T1110', 'Only rules of this ATT&CK technique. One without a dot takes in its sub-techniques.'),
    decoded_as: text(NAME_CHARACTERS, 'sshd', 'Only rules that ask for this decoder themselves.'),
    depends_on: Type.Optional(Type.String({ pattern: '^[0-9]{1,6}$', examples: ['100100'], description: 'Only rules that hang on this one.' })),
    rule_ids: Type.Optional(
      Type.String({
        maxLength: RULE_IDS_LIMIT * 7,
        pattern: RULE_ID_LIST,
        examples: ['100100,100101'],
        description: `Only these rules, by id, with commas between them; at most ${RULE_IDS_LIMIT}.`,
      }),
    ),
    search: text(SEARCH_CHARACTERS, 'login', 'Only rules with these characters in their id, description or a group, in any case.'),
  },
})
export type RuleCatalogQuery = Static<typeof RuleCatalogQuery>

export const DecoderCatalogQuery = listQuery({
  sort: DECODER_SORTS,
  defaultOrder: 'asc',
  filters: {
    ...filters,
    source_file: text(FILENAME_CHARACTERS, 'project_decoders.xml', 'Only what stands in the file of this name.'),
    name: text(NAME_CHARACTERS, 'vpn-login', 'Only decoders of this name; several may have it.'),
    parent: text(NAME_CHARACTERS, 'vpn', 'Only children of the decoder of this name; `none`: only decoders without a parent.'),
    search: text(SEARCH_CHARACTERS, 'vpn', 'Only decoders with these characters in their name, in any case.'),
  },
})
export type DecoderCatalogQuery = Static<typeof DecoderCatalogQuery>

const count = (description: string) => Type.Integer({ minimum: 0, description })
const sourceFile = (example: string) => Type.String({ examples: [example], description: 'Name of the file that it stands in.' })
const sourceLine = Type.Integer({ minimum: 1, description: 'Line at which it begins.' })
const sourceScope = Type.Enum(['default', 'custom', 'adhoc'], {
  description: "Where that file comes from: the reference ruleset, the instance's custom content, or (`adhoc`) the project.",
})

export const RuleCatalogItem = Type.Object(
  {
    rule_id: Type.String({ examples: ['100101'], description: 'Id.' }),
    level: Type.Integer({ minimum: 0, examples: [5], description: 'Level.' }),
    description: Type.String({ examples: ['VPN: login failed'], description: 'Description, with its placeholders.' }),
    groups: Type.Array(Type.String(), { examples: [['vpn', 'authentication_failed']], description: 'Groups, those of its file and of compliance included.' }),
    decoded_as: nullable(Type.String({ examples: ['vpn'] }), 'The decoder that it asks for itself; null: none.'),
    source_file: sourceFile('project_rules.xml'),
    source_line: sourceLine,
    source_scope: sourceScope,
    overwrites: nullable(
      Type.Object(
        { source_file: sourceFile('0030-sshd.xml'), source_line: sourceLine, source_scope: sourceScope },
        { description: 'The definition whose place it has taken, by `overwrite="yes"`.' },
      ),
      'The definition whose place it has taken, by `overwrite="yes"`; null: none.',
    ),
    dependency_count: count('Rules that it hangs on: parents that it names by id, group or level, and rules whose events it counts. The template of its category is none of them.'),
    depends_on: Type.Array(Type.String(), { examples: [['100100']], description: 'Ids of these rules.' }),
    dependent_rule_count: count('Rules that hang on it, in the same sense; of the whole ruleset.'),
    field_matcher_count: count('Conditions on decoded fields, look-ups in lists included.'),
    uses_frequency: Type.Boolean({ description: 'It counts events.' }),
    uses_correlation: Type.Boolean({ description: 'It has `if_matched_*`, `same_*` or `different_*`.' }),
    noalert: Type.Boolean({ description: 'It never answers itself: only its children do.' }),
    attack_ids: Type.Array(Type.String(), { examples: [['T1110']], description: 'ATT&CK techniques.' }),
  },
  { $id: 'RuleCatalogItem', description: 'A rule, as the engine has loaded it.' },
)

export const DecoderCatalogItem = Type.Object(
  {
    name: Type.String({ examples: ['vpn-login'], description: 'Name, as it is written.' }),
    parent: nullable(Type.String({ examples: ['vpn'] }), 'Name of its parent; null: it is a root.'),
    source_file: sourceFile('project_decoders.xml'),
    source_line: sourceLine,
    source_scope: sourceScope,
    order: Type.Array(Type.String(), { examples: [['srcuser', 'srcip']], description: 'Fields that it fills, in order.' }),
    child_count: count('Decoders that are tried when it was chosen; of the whole ruleset.'),
    referenced_rule_count: count('Rules that ask by `decoded_as` for the name under which its events are reported; of the whole ruleset.'),
    reachable_from_rule: Type.Boolean({ description: 'One of these rules stands in the tree of the type under which its events are reported; elsewhere it never sees them.' }),
    has_regex: Type.Boolean({ description: 'It has a `regex`.' }),
    chain_depth: Type.Integer({ minimum: 0, description: 'Steps from the root: 0 for roots, 1 for children.' }),
    fts_fields: Type.Array(Type.String(), { examples: [['name', 'srcuser']], description: 'What its `fts` remembers.' }),
  },
  { $id: 'DecoderCatalogItem', description: 'A decoder, as the engine has loaded it.' },
)
