/** Requests and answers of the assistant (CONTRACT.md#assistant). */
import Type, { type Static } from 'typebox'
import { LOG_FORMATS } from '#workers'
import { AI_CONTEXT_TYPES, type AiContextType } from './knowledge/knowledge.js'
import { nullable } from '../../core/nullable.js'
import { DIAGNOSTIC } from '../../analysis/service.js'

/** CONTRACT.md#assistant. */
const QUERY_CHARACTERS = 2000
const CURRENT_XML_CHARACTERS = 50_000
const XML_CHARACTERS = 200_000
const CASES_LIMIT = 30
export const CASES_DEFAULT = 10

export const AiAskRequest = Type.Object(
  {
    query: Type.String({ minLength: 2, maxLength: QUERY_CHARACTERS, examples: ['How do I match a source address in a rule?'], description: 'The question.' }),
    context_type: Type.Optional(
      nullable(Type.Enum([...AI_CONTEXT_TYPES] as [AiContextType, ...AiContextType[]]), 'What the question is about: only records of this kind are used. Null: all.'),
    ),
    current_xml: Type.Optional(
      nullable(Type.String({ maxLength: CURRENT_XML_CHARACTERS, examples: ['<group name="local,"></group>'] }), 'XML that is being edited, which the model is given as data.'),
    ),
  },
  { $id: 'AiAskRequest', description: 'A question to the assistant.' },
)
export type AiAskRequest = Static<typeof AiAskRequest>

export const TokenUsageRecord = Type.Object(
  {
    prompt_tokens: Type.Integer({ minimum: 0, examples: [1200], description: 'Tokens of what the provider was sent.' }),
    completion_tokens: Type.Integer({ minimum: 0, examples: [240], description: 'Tokens of its answer.' }),
    cached_tokens: Type.Integer({ minimum: 0, examples: [0], description: 'Tokens of the prompt that the provider had in its cache.' }),
    estimated: Type.Boolean({ description: 'Whether a part or all of it is an estimate: the provider reported nothing, or a number that cannot be.' }),
  },
  { $id: 'AiTokenUsage', description: 'Tokens, as the provider reports them; an estimate if it reports none, or none that can be.' },
)

export const SourceRecord = Type.Object(
  {
    record_uid: Type.String({ examples: ['rule_option:srcip:en-US'], description: 'Identifier of the record in the knowledge base.' }),
    title: Type.String({ examples: ['srcip'], description: 'Title of the record.' }),
    relevance_score: Type.Number({ examples: [0.92], description: 'From 0 to 1: how well the record fits the question.' }),
    source_trust: Type.Enum(['built_in', 'operator'], { description: '`built_in`: made from the declarations of this version. `operator`: from the folder of the operator.' }),
  },
  { $id: 'AiSource', description: 'A record of the knowledge base that the answer was given.' },
)

export const AnswerFindingRecord = Type.Object(
  {
    xml: Type.String({ examples: ['<rule id="100100" level="20">…</rule>'], description: 'The rules or decoders, as they are in the answer.' }),
    ok: Type.Boolean({ description: 'Whether they have no error. Without diagnostics, false: the service was too busy to compile them.' }),
    diagnostics: Type.Array(DIAGNOSTIC, { description: 'What the engine says about them, at most 20; lines count from the beginning of the block.' }),
  },
  { $id: 'AiAnswerFinding', description: 'Rules or decoders in an answer, compiled on top of the reference ruleset.' },
)

export const AiAskResponse = Type.Object(
  {
    answer: Type.String({ examples: ['Use the option srcip.'], description: 'The answer, in Markdown.' }),
    sources: Type.Array(SourceRecord, { description: 'The records that the answer was given, the best first.' }),
    findings: Type.Array(AnswerFindingRecord, { description: 'What the engine says about rules and decoders in the answer, one entry for each block; at most five.' }),
    token_usage: TokenUsageRecord,
  },
  { $id: 'AiAskResponse', description: 'An answer of the assistant.' },
)

export const AiStatusResponse = Type.Object(
  {
    enabled: Type.Boolean({ description: 'Whether the assistant answers this organization.' }),
    vector_store_count: Type.Integer({ minimum: 0, examples: [1800], description: 'Records of the knowledge base; 0 before the first question.' }),
    provider_reachable: Type.Boolean({ description: 'Whether the provider answered just now. False without a provider.' }),
    error: nullable(Type.String({ examples: ['connection_refused'] }), 'Why the provider did not answer, or why the assistant is disabled; null: neither.'),
    model: Type.String({ examples: ['gpt-5-mini'], description: 'Model that answers; empty: there is no provider.' }),
    base_url_display: Type.String({ examples: ['https://api.***m/v1'], description: 'Address of the provider, with its middle masked; empty: there is no provider.' }),
    search: Type.Enum(['words', 'words_and_meaning'], {
      description:
        'How this instance searches the knowledge base. `words` while there is no embedding model, or its vectors of the records are being computed, which the first question starts.',
    }),
    max_context_docs: Type.Integer({ minimum: 0, examples: [6], description: 'Maximum records that an answer uses.' }),
    rate_limit_per_minute: Type.Integer({ minimum: 0, examples: [20], description: 'Requests of a user in a minute.' }),
    knowledge_base_path: Type.String({ examples: ['knowledge'], description: "Name of the operator's folder; the whole path for platform admins. Empty: none." }),
    usage: Type.Object(
      {
        requests: Type.Integer({ minimum: 0, examples: [42], description: 'Requests that the provider answered, or whose caller left before.' }),
        estimated_requests: Type.Integer({ minimum: 0, examples: [1], description: 'Those whose tokens are an estimate.' }),
        prompt_tokens: Type.Integer({ minimum: 0, examples: [50_400], description: 'Tokens of the prompts.' }),
        completion_tokens: Type.Integer({ minimum: 0, examples: [10_080], description: 'Tokens of the answers.' }),
        cached_tokens: Type.Integer({ minimum: 0, examples: [0], description: 'Tokens of the prompts that the provider had in its cache.' }),
      },
      { description: 'Requests and tokens of the organization in this month (UTC).' },
    ),
  },
  { $id: 'AiStatusResponse', description: 'The state of the assistant.' },
)

const xml = (example: string, description: string) => Type.Optional(nullable(Type.String({ maxLength: XML_CHARACTERS, examples: [example] }), description))

export const AiGenerateCasesRequest = Type.Object(
  {
    rules_xml: xml('<group name="local,"></group>', 'Rules.'),
    decoders_xml: xml('<decoder name="local"></decoder>', 'Decoders. At least one of the two texts is not empty.'),
    max_cases: Type.Optional(Type.Integer({ minimum: 1, maximum: CASES_LIMIT, default: CASES_DEFAULT, description: 'Maximum number of cases.' })),
  },
  { $id: 'AiGenerateCasesRequest', description: 'Content for which test cases are made.' },
)
export type AiGenerateCasesRequest = Static<typeof AiGenerateCasesRequest>

const GeneratedCaseRecord = Type.Object(
  {
    name: Type.String({ examples: ['100100: Unknown user from a watched address'], description: 'Name.' }),
    description: Type.String({ examples: ['Unknown user from a watched address'], description: 'What the case is about.' }),
    event_text: Type.String({ examples: ['Nov 23 10:11:12 web1 sshd[2201]: Invalid user alice from 203.0.113.7 port 50122'], description: 'The event, or the last one.' }),
    events: Type.Array(
      Type.Object({
        event_text: Type.String({ examples: ['Nov 23 10:11:12 web1 sshd[2201]: Invalid user alice from 203.0.113.7 port 50122'], description: 'The event.' }),
        at: Type.Integer({ minimum: 0, examples: [1], description: 'Seconds since the first event.' }),
      }),
      {
        description: 'All events, for a rule that counts; else empty.',
      },
    ),
    log_format: Type.Enum([...LOG_FORMATS], { description: 'Format of the event.' }),
    now: nullable(
      Type.String({ examples: ['2026-01-05T22:30:00-03:00'] }),
      'When the first event arrives, where a rule with `time` or `weekday` reads the clock; null: at any time.',
    ),
    expected_decoder: nullable(Type.String({ examples: ['sshd'] }), 'Decoder that the engine reports; null: none.'),
    expected_rule: nullable(Type.String({ examples: ['100100'] }), 'Rule that fires; null: none.'),
    expected_fields: Type.Record(Type.String(), Type.String(), { examples: [{ srcip: '203.0.113.7' }], description: 'Fields of the event, at most 20.' }),
    expected_rule_ids: Type.Array(Type.String(), { examples: [['5700', '5710', '100100']], description: 'Rules that match, from the top of the tree.' }),
  },
  { $id: 'AiGeneratedCase', description: 'A test case that was run: what it expects is what the engine says.' },
)

export const AiGenerateCasesResponse = Type.Object(
  {
    cases: Type.Array(GeneratedCaseRecord, { description: 'The cases.' }),
    generated_by: Type.Enum(['engine', 'provider'], { description: '`engine`: there is no provider, and the events are composed of the patterns of the content.' }),
    dropped_cases: Type.Integer({ minimum: 0, examples: [0], description: 'Cases of the provider that no rule of the content answered, also after it was asked again.' }),
    rules_without_case: Type.Array(Type.String(), { examples: [[]], description: 'Rules for which the engine found no event.' }),
    token_usage: TokenUsageRecord,
  },
  { $id: 'AiGenerateCasesResponse', description: 'Test cases.' },
)

export const AiReindexResponse = Type.Object(
  {
    status: Type.Enum(['ok', 'error'], { description: '`error`: the former knowledge base stays in use.' }),
    indexed_records: Type.Optional(Type.Integer({ minimum: 0, examples: [1800], description: 'Records, if the status is `ok`.' })),
    error: Type.Optional(Type.String({ examples: ['The folder of the operator can not be read.'], description: 'Reason, if the status is `error`.' })),
  },
  { $id: 'AiReindexResponse', description: 'The result of building the knowledge base again.' },
)
