/** `/analysis`, and `/rulesets/compile`, which is validate under its old name. */
import Type from 'typebox'
import { BATCH_HEAD, BATCH_INPUT, LOGTEST_REQUEST, VALIDATION_REQUEST } from '#requests'
import { permission, type Route, routesOf } from '../core/http/route.js'
import {
  BATCH_LINE,
  HASH_EXAMPLE,
  LIST_EXAMPLE,
  LOGTEST_EXAMPLE,
  LOGTEST_RESPONSE,
  VALIDATE_QUERY,
  VALIDATION_EXAMPLE,
  VALIDATION_RESPONSE,
  VALIDATION_SCHEMA_RESPONSE,
} from './schema.js'
import examples from './examples.json' with { type: 'json' }
import type { AnalysisService } from './service.js'

const ACCESS = permission('analysis:run')
const defineRoute = routesOf('Analysis')
const JSON_TYPE = 'application/json'
const NDJSON_TYPE = 'application/x-ndjson'

/** The pool has deadlines of its own: a request waits as long as its queue, and runs as long as its task may. */
const AS_LONG_AS_IT_TAKES = null

const READING = [
  'A file that the ruleset reader can not read (an element that is not closed, a malformed attribute, text without any element, an XML declaration) is refused with 400 and `details.diagnostics`;',
  'files that it reads but that are wrong as a ruleset, or of which Wazuh drops a rule, are answered 200 with `ok: false`.',
  'An analysis that is stopped at its deadline is answered 200 with `ok: false` and the diagnostic `engine_timeout`. When all workers are busy the answer is 503 with `Retry-After`.',
].join(' ')

export function analysisRoutes(service: AnalysisService): readonly Route[] {
  const validation = (id: string, path: string, summary: string, description: string): Route =>
    defineRoute({
      id,
      method: 'POST',
      path,
      summary,
      description,
      access: ACCESS,
      rateLimit: 'analysis.validate',
      query: VALIDATE_QUERY,
      body: { as: 'bytes', schema: VALIDATION_REQUEST, mediaType: JSON_TYPE },
      bodyExamples: { rules: VALIDATION_EXAMPLE, list: LIST_EXAMPLE, disk: { include_disk_custom: true, files: [] } },
      responses: { 200: { description: 'Result of the validation.', schema: VALIDATION_RESPONSE, examples: { refused: examples.validation } } },
      errors: ['body_unparseable', 'ruleset_unreadable', 'overloaded', 'shutting_down'],
      invalidBody: 'validation_failed',
      load: 'analysis',
      timeoutMs: AS_LONG_AS_IT_TAKES,
      handle: async (request) => ({ body: await service.validate(request.body, request.query.include_baseline ?? false, request) }),
    })
  const logtest = (id: string, path: string, summary: string, description: string, emits: boolean): Route =>
    defineRoute({
      id,
      method: 'POST',
      path,
      summary,
      description,
      access: ACCESS,
      rateLimit: 'analysis.logtest',
      body: { as: 'bytes', schema: LOGTEST_REQUEST, mediaType: JSON_TYPE },
      bodyExamples: { rules: LOGTEST_EXAMPLE, compiled: HASH_EXAMPLE },
      responses: { 200: { description: 'Result of the event.', schema: LOGTEST_RESPONSE, examples: { fired: examples.logtest } } },
      errors: ['body_unparseable', 'ruleset_unreadable', 'compiled_hash_unknown', 'plan_quota_exceeded', 'overloaded', 'shutting_down'],
      invalidBody: 'validation_failed',
      load: 'analysis',
      takes: 'analysis_runs',
      timeoutMs: AS_LONG_AS_IT_TAKES,
      handle: async (request) => ({ body: await service.logtest(request.body, emits, request) }),
    })
  return [
    validation('analysis.validate', '/analysis/validate', 'Validate a ruleset', `Emits \`validation.completed\`. Takes no unit of the plan. ${READING}`),
    validation('rulesets.compile', '/rulesets/compile', 'Validate a ruleset (old path)', 'The same as `POST /analysis/validate`.'),
    logtest(
      'analysis.run-logtest',
      '/analysis/logtest-native',
      'Run one event',
      `Runs an event through pre-decoding, decoders and rules, and says why it came out so. Takes one unit of \`analysis_runs\`; a request that is refused takes none. Emits \`logtest.completed\`. ${READING}`,
      true,
    ),
    logtest(
      'analysis.run-full-logtest',
      '/analysis/full',
      'Run one event, with every detail',
      `Today the same as \`POST /analysis/logtest-native\`, without its event. ${READING}`,
      false,
    ),
    defineRoute({
      id: 'analysis.run-logtest-batch',
      method: 'POST',
      path: '/analysis/logtest-batch',
      summary: 'Run a batch of events',
      description: [
        'NDJSON in and out, both streamed. The first line holds the settings (`{}` for none); every further line is one event, answered by one line, in order, while the upload goes on.',
        '`summary` and `diagnostics` are on the first event that was run only; remarks about one event are in the `insights` of its line.',
        'A wrong line is answered in its place by the error shape, with its number in the upload in `details.line`, and the others go on. Blank lines are passed over, and counted. The last line of the answer is `{done, total, matched, failed, duration_ms}`;',
        '`failed` counts wrong lines and events answered `ok: false`. `done` is false when the rest of the upload was not run, and the line before it says why in the error shape.',
        'Takes one unit of `analysis_runs` an event; lines beyond the end of the plan are answered `plan_quota_exceeded`. Without a session each event starts fresh and all workers share the batch;',
        'with `session_id` the events share one session, in order. `trace` is off unless asked for.',
        '`select` names what a line has, and `only: alerts` leaves out lines of events that make no alert; wrong lines and events that are not run are answered in whole all the same, and `summary` and `diagnostics` of the ruleset are on the last line.',
        'Bodies may have `Content-Encoding: gzip`, and responses have it for callers that accept it (also `zstd`, if the Node of the service has it). The limits of a body count its bytes after decompression.',
        READING,
      ].join(' '),
      access: ACCESS,
      rateLimit: 'analysis.logtest',
      body: {
        as: 'stream',
        schema: Type.Union([BATCH_HEAD, BATCH_INPUT], { description: 'The first line with the settings, or a line with an event.' }),
        mediaType: NDJSON_TYPE,
        isEncodable: true,
      },
      bodyExamples: {
        head: { files: VALIDATION_EXAMPLE.files, trace: false },

        event: { event: LOGTEST_EXAMPLE.input.event },
      },
      responses: {
        200: {
          description: 'One line per event, and a last line.',
          schema: BATCH_LINE,
          mediaType: NDJSON_TYPE,
          isEncodable: true,
          examples: { last: { done: true, total: 2, matched: 1, failed: 0, duration_ms: 1.284 } },
        },
      },
      errors: [
        'line_unparseable',
        'body_encoding_unnamed',
        'batch_without_settings',
        'ruleset_unreadable',
        'compiled_hash_unknown',
        'plan_quota_exceeded',
        'overloaded',
        'shutting_down',
      ],
      invalidBody: 'validation_failed',
      load: 'batch',
      takes: 'analysis_runs',
      timeoutMs: AS_LONG_AS_IT_TAKES,
      handle: async (request) => ({ body: await service.batch(request.body, request) }),
    }),
    defineRoute({
      id: 'analysis.get-schema',
      method: 'GET',
      path: '/analysis/schema',
      summary: 'Get the schema of rules and decoders',
      description: 'Every tag and attribute that Wazuh reads, with its values, in the language of the request.',
      access: ACCESS,
      responses: { 200: { description: 'The schema.', schema: VALIDATION_SCHEMA_RESPONSE } },
      errors: ['overloaded', 'shutting_down'],
      load: 'analysis',
      timeoutMs: AS_LONG_AS_IT_TAKES,
      handle: async (request) => ({ body: await service.schema(request) }),
    }),
  ]
}
