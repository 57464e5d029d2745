/** The impact of a workspace as the API returns it (CONTRACT.md#project-records). */
import Type, { type Static } from 'typebox'
import { fields } from '../../core/auth/records.js'
import { nullable } from '../../core/nullable.js'
import { countsBy, projectFields } from '../shared/fields.js'
import { BehaviourSummary } from '../semantic-diff/service.js'
import { ProjectRecord } from '../projects/service.js'
import { WorkspaceRecord } from '../workspaces/service.js'

/** Most rules, decoders and diagnostics listed for each kind of change. Counts include those that are not listed. */
export const LISTED = 1000

export const ImpactParams = Type.Object({ project_id: fields.id('The project.'), workspace_id: fields.id('The workspace.') })

const score = (description: string) => Type.Integer({ minimum: 0, maximum: 100, examples: [92], description })
const count = (description: string) => Type.Integer({ minimum: 0, description })

const ImpactDiagnostic = Type.Object(
  {
    severity: Type.Enum(['error', 'warning', 'info', 'success'], { description: 'Severity of the diagnostic.' }),
    code: Type.String({ examples: ['rule_overlapping_level'], description: 'Code of the diagnostic.' }),
    filename: Type.String({ examples: ['project_rules.xml'], description: 'File of the diagnostic.' }),
    line: nullable(Type.Integer({ minimum: 1 }), 'Line in the file; null: none.'),
    message: Type.String({
      examples: ['Rule 100101 can never match: rule 100100 is before it and matches the same events.'],
      description: 'Message, in the language of the request.',
    }),
  },
  { $id: 'ImpactFinding', description: 'A diagnostic that only one of the contents has.' },
)

const rule = {
  rule_id: Type.String({ examples: ['100100'], description: 'Id of the rule.' }),
  description: Type.String({ examples: ['VPN: login failed'], description: 'Description of the rule.' }),
  line: Type.Integer({ minimum: 1, description: 'Line in the rules of the content that has it, or of the workspace if both do.' }),
}
const decoder = {
  name: Type.String({ examples: ['vpn-login'], description: 'Name of the decoder.' }),
  parent: nullable(Type.String({ examples: ['vpn'] }), 'Name of its parent; null: none.'),
  line: Type.Integer({ minimum: 1, description: 'Line in the decoders of the content that has it, or of the workspace if both do.' }),
}
const changes = Type.Array(Type.String({ examples: ['level'] }), {
  description: 'Names of the tags and attributes whose meaning differs, and `position` if its place among siblings that are tried in order differs.',
})
const listed = `; the first ${LISTED}`

const RuleChanges = Type.Object(
  {
    added_count: count('Rules that only the workspace has.'),
    removed_count: count('Rules that only the project has.'),
    changed_count: count('Rules whose meaning differs in the workspace.'),
    added: Type.Array(Type.Object(rule, { description: 'A rule.' }), { description: `Rules that only the workspace has${listed}.` }),
    removed: Type.Array(Type.Object(rule, { description: 'A rule.' }), { description: `Rules that only the project has${listed}.` }),
    changed: Type.Array(Type.Object({ ...rule, changes }, { description: 'A rule and its changes.' }), { description: `Rules whose meaning differs${listed}.` }),
    dropped_count: count('Rules of the workspace that Wazuh silently drops, and that it does not drop in the project.'),
    dropped: Type.Array(
      Type.Object(
        {
          rule_id: rule.rule_id,
          filename: Type.String({ examples: ['project_rules.xml'], description: 'File of the rule.' }),
          line: Type.Integer({ minimum: 1, description: 'Line of the rule.' }),
          code: nullable(Type.String({ examples: ['rule_parent_missing'] }), 'Code of the diagnostic that says why; null: it is not known, of very many, or of rules on one line.'),
          message: nullable(Type.String({ examples: ['Rule 100101 names the parent 100199, which does not exist.'] }), 'Its message, in the language of the request.'),
        },
        { description: 'A dropped rule.' },
      ),
      { description: `Rules of the workspace that Wazuh silently drops${listed}.` },
    ),
  },
  {
    $id: 'ImpactRules',
    description:
      'Rules compared by meaning: formatting, comments and the order of attributes and tags do not matter. Rules that Wazuh drops are in `dropped` only, if it did not drop them before.',
  },
)

const DecoderChanges = Type.Object(
  {
    added_count: count('Decoders that only the workspace has.'),
    removed_count: count('Decoders that only the project has.'),
    changed_count: count('Decoders whose meaning differs in the workspace.'),
    added: Type.Array(Type.Object(decoder, { description: 'A decoder.' }), { description: `Decoders that only the workspace has${listed}.` }),
    removed: Type.Array(Type.Object(decoder, { description: 'A decoder.' }), { description: `Decoders that only the project has${listed}.` }),
    changed: Type.Array(Type.Object({ ...decoder, changes }, { description: 'A decoder and its changes.' }), { description: `Decoders whose meaning differs${listed}.` }),
  },
  { $id: 'ImpactDecoders', description: 'Decoders compared by meaning, as rules are.' },
)

const listName = Type.String({ examples: ['etc/lists/watched-addresses'], description: 'Name of the list, as rules reference it.' })
const CountedList = Type.Object({ name: listName, entry_count: count('Number of entries that a look-up can find.') }, { description: 'A list.' })

const ListChanges = Type.Object(
  {
    added_count: count('Lists that only the workspace has.'),
    removed_count: count('Lists that only the project has.'),
    changed_count: count('Lists whose look-ups differ in the workspace.'),
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
        { description: 'A list and its changes.' },
      ),
      { description: 'Lists whose look-ups differ.' },
    ),
  },
  { $id: 'ImpactLists', description: 'Lists compared by their look-ups: the order of lines does not matter.' },
)

const CHANGE_TYPES = ['improved', 'regressed', 'changed', 'unchanged'] as const
export type ChangeType = (typeof CHANGE_TYPES)[number]

export const ProjectImpactResponse = Type.Object(
  {
    project: ProjectRecord,
    workspace: WorkspaceRecord,
    current_quality_score: score("Quality score of the project's content."),
    candidate_quality_score: score("Quality score of the workspace's content, with the same cases."),
    current_loads: Type.Boolean({ description: "Whether Wazuh would start with the project's content." }),
    candidate_loads: Type.Boolean({ description: "Whether Wazuh would start with the workspace's content. If not, the parts that cannot be read count as removed." }),
    current_diagnostics_by_severity: countsBy("Number of diagnostics in the project's content, by severity."),
    candidate_diagnostics_by_severity: countsBy("Number of diagnostics in the workspace's content, by severity."),
    candidate_diagnostics: Type.Object(
      {
        introduced_count: count('Diagnostics that only the workspace has.'),
        resolved_count: count('Diagnostics that only the project has.'),
        introduced: Type.Array(ImpactDiagnostic, { description: `Diagnostics that only the workspace has, the most severe first${listed}.` }),
        resolved: Type.Array(ImpactDiagnostic, { description: `Diagnostics that only the project has, the most severe first${listed}.` }),
      },
      { description: 'Introduced and resolved diagnostics. A diagnostic that only moved to another line is neither.' },
    ),
    shadowing_introduced: Type.Array(ImpactDiagnostic, { description: `The introduced diagnostics about rules and decoders that others now prevent from matching${listed}.` }),
    rules: RuleChanges,
    decoders: DecoderChanges,
    lists: ListChanges,
    changed_cases: count('Cases with a different outcome: improved, regressed or changed.'),
    improved_cases: count('Cases that fail on the project and pass on the workspace.'),
    regressed_cases: count('Cases that pass on the project and fail on the workspace.'),
    unchanged_cases: count('Cases with the same outcome.'),
    cases: Type.Array(
      Type.Object(
        {
          case_id: projectFields.id('The case.'),
          case_name: Type.String({ examples: ['failed login'], description: 'Name of the case.' }),
          before_passed: Type.Boolean({ description: "Whether it passes on the project's content." }),
          after_passed: Type.Boolean({ description: "Whether it passes on the workspace's content." }),
          change_type: Type.Enum([...CHANGE_TYPES] as [ChangeType, ...ChangeType[]], {
            description:
              '`improved`: fails on the project, passes on the workspace; `regressed`: the reverse; `changed`: the same result with a different rule or decoder; `unchanged`: the same rule and decoder.',
          }),
          before_rule_id: nullable(Type.String({ examples: ['100100'] }), 'Final rule on the project; null: none.'),
          after_rule_id: nullable(Type.String({ examples: ['100101'] }), 'Final rule on the workspace; null: none.'),
          before_decoder: nullable(Type.String({ examples: ['vpn'] }), 'Decoder on the project; null: none.'),
          after_decoder: nullable(Type.String({ examples: ['vpn'] }), 'Decoder on the workspace; null: none.'),
        },
        { description: 'A case on both contents.' },
      ),
      { description: 'Every case, in order of creation.' },
    ),
    behaviour: Type.Optional(
      nullable(
        BehaviourSummary,
        'What the change does with events: rules and decoders that differ, with an event and both results, are proven to be equal, or unknown. Null: Wazuh would not start with both contents, or the comparison took too long. Absent: a comparison of an earlier version of the service.',
      ),
    ),
  },
  { $id: 'ProjectImpactResponse', description: "What would change if a workspace's content replaced the content of its project." },
)
export type ProjectImpactResponse = Static<typeof ProjectImpactResponse>

const { project: _project, workspace: _workspace, ...compared } = ProjectImpactResponse.properties

export const ContentImpactRecord = Type.Object(compared, {
  $id: 'ContentImpact',
  description:
    'The difference between two commits. Fields as those of `ProjectImpactResponse`: what they say of the project is that of the bound branch, what they say of the workspace that of the other commit.',
})
export type ImpactDiagnostic = Static<typeof ImpactDiagnostic>
