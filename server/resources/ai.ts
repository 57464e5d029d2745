/** Mounts the assistant, its knowledge base and its configuration. `index.ts` mounts the other resources beside them. */
import { type AnyPlatformSealedField, platformSealedField } from '../auth/reseal.js'
import { answerReader } from '../gateways/reader.js'
import { OpenAiGateway } from '../gateways/ai/openai.js'
import type { Route } from '../http/route.js'
import { IndexedKnowledge } from '../knowledge/base.js'
import { TAGS } from '../openapi/tags.js'
import type { CollectionDefinition } from '../storage/contract.js'
import { assistantRoutes } from './assistant/routes.js'
import { type AssistantParts, AssistantService } from './assistant/service.js'
import { AI_USAGE } from './assistant/store.js'
import type { ResourceParts } from './parts.js'
import { platformAiRoutes } from './platform-ai/routes.js'
import { PlatformAiService } from './platform-ai/service.js'
import { AI_CONFIG, AI_KEY_PLACE } from './platform-ai/store.js'
import { TEMPLATES } from './templates/catalog.js'

/** The collections of these resources. */
export const AI_COLLECTIONS: readonly CollectionDefinition[] = [AI_CONFIG, AI_USAGE]

/** Their sealed texts in collections of the instance. */
export const AI_SEALED_FIELDS: readonly AnyPlatformSealedField[] = [
  platformSealedField({ collection: AI_CONFIG, field: 'api_key', purpose: 'aiProvider', place: () => AI_KEY_PLACE }),
]

/** @param streams what its streams share with others @param routes of the whole service, which the knowledge base describes; read with the first question */
export function createAi(
  parts: ResourceParts,
  streams: Pick<AssistantParts, 'connections' | 'sessions'>,
  routes: () => readonly Route[],
): { readonly routes: readonly Route[]; close(): Promise<void> } {
  const { config, storage, identities, guard, http, quotas, throttles, pool, limits, log, clock, forgetting } = parts
  const reader = answerReader(pool, limits, null)
  const ai = new PlatformAiService({ storage, identities, guard, openAi: (connection) => new OpenAiGateway(connection, { http, reader, clock }), forgetting })
  const knowledgePath = config.aiKnowledgeBasePath
  const knowledge = new IndexedKnowledge({ declarations: () => ({ routes: routes(), tags: TAGS, templates: TEMPLATES }), folder: knowledgePath, log, clock })
  const { tenancy } = identities
  const assistant = new AssistantService({ ai, knowledge, knowledgePath, quotas, throttles, pool, ...streams, tenancy, log, clock })
  return { routes: [...assistantRoutes(assistant), ...platformAiRoutes(ai)], close: () => knowledge.close() }
}
