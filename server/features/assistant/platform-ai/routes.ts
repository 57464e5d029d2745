/** `/platform/admin/ai`. */
import { etagOf } from '../../../core/etag.js'
import { PLATFORM_ADMIN, type Route, routesOf } from '../../../core/http/route.js'
import { presentAiConfig } from './present.js'
import { AiConfigRecord, AiConfigRequest, AiTestResult } from './schema.js'
import type { AiConfigDocument, PlatformAiService } from './service.js'

const defineRoute = routesOf('Platform administration')
const CONFIG = '/platform/admin/ai/config'
const CONFIG_ANSWER = { 200: { description: 'The configuration.', schema: AiConfigRecord } } as const
/** Two calls of the provider, each with its own limits, and the rest of the request. */
const TEST_MS = 100_000

const configAnswer = (config: AiConfigDocument) => ({ body: presentAiConfig(config), etag: etagOf(config) })

export function platformAiRoutes(ai: PlatformAiService): readonly Route[] {
  return [
    defineRoute({
      id: 'platform-ai.get-config',
      method: 'GET',
      path: CONFIG,
      summary: 'Get the configuration of the assistant',
      description: 'The key of the provider is not in the answer.',
      access: PLATFORM_ADMIN,
      responses: CONFIG_ANSWER,
      etag: true,
      handle: async () => configAnswer(await ai.get()),
    }),
    defineRoute({
      id: 'platform-ai.update-config',
      method: 'PUT',
      path: CONFIG,
      summary: 'Update the configuration of the assistant',
      description:
        'Enables or disables the assistant for the whole instance, and sets its provider: any server with the chat completions of OpenAI. All instances follow within a second. An address in a private network needs `NATIVE_SERVICE_ALLOW_PRIVATE_TARGETS` (400). A stored key is kept for its address only: a new address needs `api_key`, which may be null (422). Stored in the audit of the instance, without the key.',
      access: PLATFORM_ADMIN,
      body: { as: 'json', schema: AiConfigRequest },
      bodyExamples: {
        engine: { enabled: true, base_url: null },
        provider: {
          enabled: true,
          base_url: 'https://api.openai.com/v1',
          api_key: 'sk-example',
          model: 'gpt-5-mini',
          embedding_model: 'text-embedding-3-small',
          max_context_docs: 6,
        },
      },
      responses: CONFIG_ANSWER,
      errors: ['target_refused', 'edit_conflict'],
      etag: true,
      ifMatch: true,
      load: 'provider',
      handle: async (request) => configAnswer(await ai.update(request.body, request.ifMatch, request)),
    }),
    defineRoute({
      id: 'platform-ai.test',
      method: 'POST',
      path: '/platform/admin/ai/test',
      summary: 'Test the provider of the assistant',
      description:
        'Asks the stored provider for a short answer, and for a vector if there is an embedding model. It works while the assistant is disabled. A provider that fails is answered 502 `ai_provider_failed`, with the kind of the failure in `details.failure`. Without a provider nothing is called.',
      access: PLATFORM_ADMIN,
      load: 'provider',
      timeoutMs: TEST_MS,
      responses: { 200: { description: 'The test was successful.', schema: AiTestResult } },
      errors: ['ai_provider_failed', 'credentials_unreadable'],
      handle: async (request) => ({ body: await ai.test(request, request.signal) }),
    }),
  ]
}
