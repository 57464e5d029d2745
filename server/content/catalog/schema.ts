/** Requests and answers of the catalogs of rules and decoders (CONTRACT.md#project-records). */
import Type, { type Static } from 'typebox'
import { DECODER_SORTS, RULE_SORTS } from '#workers'
import { fields } from '../../core/auth/records.js'
import { listQuery } from '../../core/http/request/list-query.js'
import { nullable } from '../../core/nullable.js'
import { RULE_ID_LIST, RULE_IDS_LIMIT } from '../../core/patterns.js'

/** Origin of the listed items: the project (or workspace) itself, the reference ruleset, the instance's custom content, or all of them. */
export const CATALOG_SCOPES = ['own', 'default', 'custom', 'all'] as const
const FILENAME_CHARACTERS = 255
const NAME_CHARACTERS = 255
const SEARCH_CHARACTERS = 120
/** Wazuh's levels. */
const LEVEL = '(?:1[0-6]|[0-9])'

const text = (maxLength: number, example: string, description: string) => Type.Optional(Type.String({ minLength: 1, maxLength, examples: [example], description }))

/** Filters of both catalogs. */
const filters = {
  scope: Type.Optional(
    Type.Enum([...CATALOG_SCOPES], {
      default: 'own',
      description: "`own`: the content of the project itself; `default`: the reference ruleset; `custom`: the instance's custom content; `all`: everything that is loaded.",
    }),
  ),
  workspace_id: Type.Optional(fields.id('A workspace of the project, whose content replaces the content of the project.')),
  source_file: text(FILENAME_CHARACTERS, 'project_rules.xml', 'Only items in the file of this name.'),
}

export const RuleCatalogQuery = listQuery({
  sort: RULE_SORTS,
  defaultOrder: 'asc',
  filters: {
    ...filters,
    level: Type.Optional(
      Type.String({ pattern: `^${LEVEL}(?:-${LEVEL})?$`, examples: ['5-10'], description: 'Only rules of this level or range of levels, for example `5` or `5-10`.' }),
    ),
    group: text(NAME_CHARACTERS, 'authentication_failed', 'Only rules of this group. Case matters.'),
    attack_id: text(32, 'T1110', 'Only rules of this ATT&CK technique. A technique without a dot includes its sub-techniques.'),
    decoded_as: text(NAME_CHARACTERS, 'sshd', 'Only rules with this `decoded_as`.'),
    depends_on: Type.Optional(Type.String({ pattern: '^[0-9]{1,6}$', examples: ['100100'], description: 'Only rules that depend on this rule.' })),
    rule_ids: Type.Optional(
      Type.String({
        maxLength: RULE_IDS_LIMIT * 7,
        pattern: RULE_ID_LIST,
        examples: ['100100,100101'],
        description: `Only the rules with these ids, separated by commas; at most ${RULE_IDS_LIMIT}.`,
      }),
    ),
    search: text(SEARCH_CHARACTERS, 'login', 'Only rules whose id, description or a group contains this text. Case does not matter.'),
  },
})
export type RuleCatalogQuery = Static<typeof RuleCatalogQuery>

export const DecoderCatalogQuery = listQuery({
  sort: DECODER_SORTS,
  defaultOrder: 'asc',
  filters: {
    ...filters,
    source_file: text(FILENAME_CHARACTERS, 'project_decoders.xml', 'Only items in the file of this name.'),
    name: text(NAME_CHARACTERS, 'vpn-login', 'Only decoders of this name, which several may have.'),
    parent: text(NAME_CHARACTERS, 'vpn', 'Only children of the decoder of this name; `none`: only decoders without a parent.'),
    search: text(SEARCH_CHARACTERS, 'vpn', 'Only decoders whose name contains this text. Case does not matter.'),
  },
})
export type DecoderCatalogQuery = Static<typeof DecoderCatalogQuery>

const count = (description: string) => Type.Integer({ minimum: 0, description })
const sourceFile = (example: string) => Type.String({ examples: [example], description: 'Name of the file.' })
const sourceLine = Type.Integer({ minimum: 1, description: 'First line of the definition.' })
const sourceScope = Type.Enum(['default', 'custom', 'adhoc'], {
  description: "Origin of the file: the reference ruleset, the instance's custom content, or (`adhoc`) the project.",
})

export const RuleCatalogItem = Type.Object(
  {
    rule_id: Type.String({ examples: ['100101'], description: 'Id of the rule.' }),
    level: Type.Integer({ minimum: 0, examples: [5], description: 'Level.' }),
    description: Type.String({ examples: ['VPN: login failed'], description: 'Description, with its placeholders.' }),
    groups: Type.Array(Type.String(), { examples: [['vpn', 'authentication_failed']], description: 'Groups, including those of its file and compliance groups.' }),
    decoded_as: nullable(Type.String({ examples: ['vpn'] }), 'The decoder of its `decoded_as`; null: none.'),
    source_file: sourceFile('project_rules.xml'),
    source_line: sourceLine,
    source_scope: sourceScope,
    overwrites: nullable(
      Type.Object(
        { source_file: sourceFile('0030-sshd.xml'), source_line: sourceLine, source_scope: sourceScope },
        { description: 'The definition that it replaced with `overwrite="yes"`.' },
      ),
      'The definition that it replaced with `overwrite="yes"`; null: none.',
    ),
    dependency_count: count(
      'Number of rules that it depends on: parents that it references by id, group or level, and rules whose events it counts. The template of its category is not included.',
    ),
    depends_on: Type.Array(Type.String(), { examples: [['100100']], description: 'Ids of these rules.' }),
    dependent_rule_count: count('Number of rules of the whole ruleset that depend on it.'),
    field_matcher_count: count('Number of conditions on decoded fields, including list look-ups.'),
    uses_frequency: Type.Boolean({ description: 'Whether it counts events.' }),
    uses_correlation: Type.Boolean({ description: 'Whether it has `if_matched_*`, `same_*` or `different_*`.' }),
    noalert: Type.Boolean({ description: 'Whether it never creates an alert itself, only through its children.' }),
    attack_ids: Type.Array(Type.String(), { examples: [['T1110']], description: 'ATT&CK techniques.' }),
  },
  { $id: 'RuleCatalogItem', description: 'A rule, as the engine loaded it.' },
)

export const DecoderCatalogItem = Type.Object(
  {
    name: Type.String({ examples: ['vpn-login'], description: 'Name in the definition.' }),
    parent: nullable(Type.String({ examples: ['vpn'] }), 'Name of its parent; null: it is a root decoder.'),
    source_file: sourceFile('project_decoders.xml'),
    source_line: sourceLine,
    source_scope: sourceScope,
    order: Type.Array(Type.String(), { examples: [['srcuser', 'srcip']], description: 'Fields that it extracts, in order.' }),
    child_count: count('Number of its children in the whole ruleset.'),
    referenced_rule_count: count('Number of rules of the whole ruleset whose `decoded_as` is the name under which its events are reported.'),
    reachable_from_rule: Type.Boolean({ description: 'Whether at least one of these rules receives its events. A rule receives only events of the type of its tree.' }),
    has_regex: Type.Boolean({ description: 'Whether it has a `regex`.' }),
    chain_depth: Type.Integer({ minimum: 0, description: 'Steps from the root: 0 for roots, 1 for children.' }),
    fts_fields: Type.Array(Type.String(), { examples: [['name', 'srcuser']], description: 'Fields of its `fts`.' }),
  },
  { $id: 'DecoderCatalogItem', description: 'A decoder, as the engine loaded it.' },
)
