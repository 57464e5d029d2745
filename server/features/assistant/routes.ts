/** `/ai`. */
import Type from 'typebox'
import { PLATFORM_ADMIN, type Route, routesOf, SESSION } from '../../core/http/route.js'
import { EVENT_STREAM_HEADERS, EVENT_STREAM_TYPE } from '../../core/sse/stream.js'
import { AiAskRequest, AiAskResponse, AiGenerateCasesRequest, AiGenerateCasesResponse, AiReindexResponse, AiStatusResponse } from './schema.js'
import { type AssistantService, presentSource } from './service.js'
import { presentUsage } from './usage.js'

const defineRoute = routesOf('Assistant')
/** An answer of a minute, a search by meaning before it, and the check of its XML. */
const ASK_MS = 100_000
/** Two answers, and the runs of their cases. */
const GENERATE_MS = 180_000
/** A build of a second or two, on a machine that is busy. */
const REINDEX_MS = 100_000
const QUESTION = { query: 'How do I match a source address in a rule?', context_type: 'rule', current_xml: '<group name="local,"></group>' }
const REFUSALS = ['assistant_disabled', 'assistant_not_in_plan', 'rate_limited', 'ai_provider_failed', 'credentials_unreadable'] as const
const RULE =
  '<group name="local,"><rule id="100100" level="10"><if_sid>5710</if_sid><srcip>203.0.113.7</srcip><description>Unknown user from a watched address</description></rule></group>'

export function assistantRoutes(assistant: AssistantService): readonly Route[] {
  return [
    defineRoute({
      id: 'ai.get-status',
      method: 'GET',
      path: '/ai/status',
      summary: 'Get the status of the assistant',
      description:
        'Answers whether the assistant can be used, asks the provider for its models to see whether it is there, and answers the tokens that the organization used this month.',
      access: SESSION,
      load: 'provider',
      ownRateLimit: true,
      responses: { 200: { description: 'The status.', schema: AiStatusResponse } },
      errors: ['rate_limited', 'credentials_unreadable'],
      handle: async (request) => ({ body: await assistant.status(request) }),
    }),
    defineRoute({
      id: 'ai.ask',
      method: 'POST',
      path: '/ai/ask',
      summary: 'Ask the assistant',
      description:
        'Answers a question from the knowledge base, in the language of the request. The provider is sent the question, the XML and the records that fit, and nothing else. Rules and decoders in the answer are compiled, and `findings` has what the engine says about them. Without a provider the answer is the records themselves. A provider that fails is answered 502.',
      access: SESSION,
      load: 'provider',
      ownRateLimit: true,
      timeoutMs: ASK_MS,
      body: { as: 'json', schema: AiAskRequest },
      bodyExamples: { question: QUESTION },
      responses: { 200: { description: 'The answer.', schema: AiAskResponse } },
      errors: REFUSALS,
      handle: async (request) => {
        const { answer, sources, findings, usage } = await assistant.ask(request.body, request)
        return { body: { answer, sources: sources.map(presentSource), findings, token_usage: presentUsage(usage) } }
      },
    }),
    defineRoute({
      id: 'ai.stream',
      method: 'POST',
      path: '/ai/stream',
      summary: 'Ask the assistant, and stream the answer',
      description:
        'Like `POST /ai/ask`, as server-sent events: `content` with a piece of text, repeated; `sources`; `findings` if the answer has rules or decoders; and `[DONE]`. A provider that fails before the first piece is answered 502; later the event `error` ends the stream, without `[DONE]`. The stream counts as one of the open streams of the user.',
      access: SESSION,
      load: 'provider',
      ownRateLimit: true,
      timeoutMs: null,
      body: { as: 'json', schema: AiAskRequest },
      bodyExamples: { question: QUESTION },
      responses: {
        200: {
          description: 'The events.',
          schema: Type.String({ description: 'An event stream of the HTML Living Standard.' }),
          mediaType: EVENT_STREAM_TYPE,
          examples: {
            answer:
              'data: {"type":"content","text":"Use the option srcip."}\n\ndata: {"type":"sources","sources":[{"record_uid":"rule_option:srcip:en-US","title":"srcip","relevance_score":0.92}]}\n\ndata: [DONE]\n\n',
          },
        },
      },
      errors: [...REFUSALS, 'sse_connection_limit_exceeded', 'overloaded'],
      handle: async (request) => ({ headers: { ...EVENT_STREAM_HEADERS, 'Cache-Control': 'no-cache' }, body: await assistant.stream(request.body, request) }),
    }),
    defineRoute({
      id: 'ai.generate-cases',
      method: 'POST',
      path: '/ai/generate-cases',
      summary: 'Generate test cases',
      description:
        'Makes test cases for rules and decoders. Every case is run on the content, on top of the reference ruleset where the content refers to what it does not have, and expects what the engine says. Cases that no rule of the content answers are asked for again once, then dropped and counted. Without a provider the engine composes events of the patterns of rules and decoders. Empty XML, and XML that does not load, is answered 400.',
      access: SESSION,
      load: 'provider',
      ownRateLimit: true,
      timeoutMs: GENERATE_MS,
      body: { as: 'json', schema: AiGenerateCasesRequest },
      bodyExamples: { rule: { rules_xml: RULE, decoders_xml: '', max_cases: 5 } },
      responses: { 200: { description: 'The cases.', schema: AiGenerateCasesResponse } },
      errors: [...REFUSALS, 'assistant_xml_empty', 'ruleset_unreadable', 'ruleset_stopped', 'overloaded'],
      handle: async (request) => {
        const { cases, by, dropped, withoutCase, usage } = await assistant.generateCases(request.body, request)
        return { body: { cases, generated_by: by, dropped_cases: dropped, rules_without_case: withoutCase, token_usage: presentUsage(usage) } }
      },
    }),
    defineRoute({
      id: 'ai.reindex',
      method: 'POST',
      path: '/ai/reindex',
      summary: 'Build the knowledge base again',
      description:
        "Builds the knowledge base of this instance again, for example after a change in the operator's folder. Questions use the former one until the new one is complete.",
      access: PLATFORM_ADMIN,
      load: 'provider',
      ownRateLimit: true,
      timeoutMs: REINDEX_MS,
      responses: { 200: { description: 'The result.', schema: AiReindexResponse } },
      errors: ['assistant_disabled', 'rate_limited'],
      handle: async (request) => ({ body: await assistant.reindex(request) }),
    }),
  ]
}
