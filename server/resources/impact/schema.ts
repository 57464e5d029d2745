/** What a workspace would change, as the interface shows it (CONTRACT.md#project-records). */
import Type, { type Static } from 'typebox'
import { fields } from '../../auth/records.js'
import { nullable } from '../../nullable.js'
import { countsBy, projectFields } from '../../projects/fields.js'
import { ProjectRecord } from '../projects/service.js'
import { WorkspaceRecord } from '../workspaces/service.js'

/** Rules, decoders and findings that are listed, of each kind of change. Their numbers are of all. */
export const LISTED = 1000

export const ImpactParams = Type.Object({ project_id: fields.id('The project.'), workspace_id: fields.id('The workspace.') })

const score = (description: string) => Type.Integer({ minimum: 0, maximum: 100, examples: [92], description })
const count = (description: string) => Type.Integer({ minimum: 0, description })

const Finding = Type.Object(
  {
    severity: Type.Enum(['error', 'warning', 'info', 'success'], { description: 'How bad it is.' }),
    code: Type.String({ examples: ['rule_overlapping_level'], description: 'Kind of the finding.' }),
    filename: Type.String({ examples: ['project_rules.xml'], description: 'File that it is about.' }),
    line: nullable(Type.Integer({ minimum: 1 }), 'Its line; null: none.'),
    message: Type.String({
      examples: ['Rule 100101 can never match: rule 100100 stands before it and takes the same events.'],
      description: 'What is wrong, in the language of the request.',
    }),
  },
  { $id: 'ImpactFinding', description: 'A finding that only one of the contents has.' },
)

const rule = {
  rule_id: Type.String({ examples: ['100100'], description: 'The rule.' }),
  description: Type.String({ examples: ['VPN: login failed'], description: 'Its description.' }),
  line: Type.Integer({ minimum: 1, description: 'Its line in the rules of the content that has it; of the workspace, when both do.' }),
}
const decoder = {
  name: Type.String({ examples: ['vpn-login'], description: 'The decoder.' }),
  parent: nullable(Type.String({ examples: ['vpn'] }), 'Its parent; null: none.'),
  line: Type.Integer({ minimum: 1, description: 'Its line in the decoders of the content that has it; of the workspace, when both do.' }),
}
const changes = Type.Array(Type.String({ examples: ['level'] }), {
  description: 'What means something else now: names of tags and attributes, and `position` when it moved among siblings that are tried in order.',
})
const listed = `; the first ${LISTED}`

const RuleChanges = Type.Object(
  {
    added_count: count('Rules that only the workspace has.'),
    removed_count: count('Rules that only the project has.'),
    changed_count: count('Rules that mean something else in the workspace.'),
    added: Type.Array(Type.Object(rule, { description: 'A rule.' }), { description: `Rules that only the workspace has${listed}.` }),
    removed: Type.Array(Type.Object(rule, { description: 'A rule.' }), { description: `Rules that only the project has${listed}.` }),
    changed: Type.Array(Type.Object({ ...rule, changes }, { description: 'A rule and what changed of it.' }), { description: `Rules that mean something else${listed}.` }),
  },
  {
    $id: 'ImpactRules',
    description: 'Rules compared by what they mean: formatting, comments and the order of attributes and tags are no change. What Wazuh would leave out is not there.',
  },
)

const DecoderChanges = Type.Object(
  {
    added_count: count('Decoders that only the workspace has.'),
    removed_count: count('Decoders that only the project has.'),
    changed_count: count('Decoders that mean something else in the workspace.'),
    added: Type.Array(Type.Object(decoder, { description: 'A decoder.' }), { description: `Decoders that only the workspace has${listed}.` }),
    removed: Type.Array(Type.Object(decoder, { description: 'A decoder.' }), { description: `Decoders that only the project has${listed}.` }),
    changed: Type.Array(Type.Object({ ...decoder, changes }, { description: 'A decoder and what changed of it.' }), { description: `Decoders that mean something else${listed}.` }),
  },
  { $id: 'ImpactDecoders', description: 'Decoders compared in the same way.' },
)

const listName = Type.String({ examples: ['etc/lists/watched-addresses'], description: 'The list, as rules name it.' })
const CountedList = Type.Object({ name: listName, entry_count: count('Entries that rules can find in it.') }, { description: 'A list.' })

const ListChanges = Type.Object(
  {
    added_count: count('Lists that only the workspace has.'),
    removed_count: count('Lists that only the project has.'),
    changed_count: count('Lists in which rules find something else in the workspace.'),
    added: Type.Array(CountedList, { description: 'Lists that only the workspace has.' }),
    removed: Type.Array(CountedList, { description: 'Lists that only the project has.' }),
    changed: Type.Array(
      Type.Object(
        {
          name: listName,
          added_entries: count('Keys that only the workspace has.'),
          removed_entries: count('Keys that only the project has.'),
          changed_entries: count('Keys with another value.'),
        },
        { description: 'A list and what changed of it.' },
      ),
      { description: 'Lists in which rules find something else.' },
    ),
  },
  { $id: 'ImpactLists', description: 'Lists compared by what rules find in them: the order of lines is no change.' },
)

const CHANGE_TYPES = ['improved', 'regressed', 'changed', 'unchanged'] as const
export type ChangeType = (typeof CHANGE_TYPES)[number]

export const ProjectImpactResponse = Type.Object(
  {
    project: ProjectRecord,
    workspace: WorkspaceRecord,
    current_quality_score: score("Of the project's content."),
    candidate_quality_score: score("Of the workspace's content, with the same cases."),
    current_loads: Type.Boolean({ description: "Wazuh would start with the project's content." }),
    candidate_loads: Type.Boolean({ description: "Wazuh would start with the workspace's content. When not, what can't be read of it counts as removed." }),
    current_diagnostics_by_severity: countsBy("Findings in the project's content, by severity."),
    candidate_diagnostics_by_severity: countsBy("Findings in the workspace's content, by severity."),
    candidate_diagnostics: Type.Object(
      {
        introduced_count: count('Findings that only the workspace has.'),
        resolved_count: count('Findings that only the project has.'),
        introduced: Type.Array(Finding, { description: `Those that only the workspace has, the worst first${listed}.` }),
        resolved: Type.Array(Finding, { description: `Those that only the project has, the worst first${listed}.` }),
      },
      { description: 'Findings that come and go. One that only moved to another line is neither.' },
    ),
    shadowing_introduced: Type.Array(Finding, { description: `Of the introduced: rules and decoders that others now keep from answering${listed}.` }),
    rules: RuleChanges,
    decoders: DecoderChanges,
    lists: ListChanges,
    changed_cases: count('Cases with another outcome: improved, regressed or changed.'),
    improved_cases: count('Cases that fail on the project and pass on the workspace.'),
    regressed_cases: count('Cases that pass on the project and fail on the workspace.'),
    unchanged_cases: count('Cases with the same outcome.'),
    cases: Type.Array(
      Type.Object(
        {
          case_id: projectFields.id('The case.'),
          case_name: Type.String({ examples: ['failed login'], description: 'Its name.' }),
          before_passed: Type.Boolean({ description: "On the project's content." }),
          after_passed: Type.Boolean({ description: "On the workspace's content." }),
          change_type: Type.Enum([...CHANGE_TYPES] as [ChangeType, ...ChangeType[]], {
            description: '`improved`: it passes now; `regressed`: it fails now; `changed`: it passes, or fails, as before, but another rule or decoder answers; `unchanged`.',
          }),
          before_rule_id: nullable(Type.String({ examples: ['100100'] }), 'Rule that answers on the project; null: none.'),
          after_rule_id: nullable(Type.String({ examples: ['100101'] }), 'Rule that answers on the workspace; null: none.'),
          before_decoder: nullable(Type.String({ examples: ['vpn'] }), 'Decoder that answers on the project; null: none.'),
          after_decoder: nullable(Type.String({ examples: ['vpn'] }), 'Decoder that answers on the workspace; null: none.'),
        },
        { description: 'A case on both contents.' },
      ),
      { description: 'Every case, in the order in which they were made.' },
    ),
  },
  { $id: 'ProjectImpactResponse', description: "What would become of a project if a workspace's content took its place." },
)
export type ProjectImpactResponse = Static<typeof ProjectImpactResponse>
export type ImpactFinding = Static<typeof Finding>
