/** Mounts the assistant, its knowledge base and its configuration. `index.ts` mounts the other resources beside them. */
import { type AnyPlatformSealedField, platformSealedField } from '../core/auth/reseal.js'
import { answerReader } from '../core/egress/reader.js'
import { OpenAiGateway } from '../features/assistant/gateways/openai.js'
import type { Route } from '../core/http/route.js'
import { IndexedKnowledge } from '../features/assistant/knowledge/base.js'
import { TAGS } from '../docs/tags.js'
import type { CollectionDefinition } from '../core/storage/contract.js'
import { assistantRoutes } from '../features/assistant/routes.js'
import { type AssistantParts, AssistantService } from '../features/assistant/service.js'
import { AI_USAGE } from '../features/assistant/store.js'
import type { ResourceParts } from './parts.js'
import { platformAiRoutes } from '../features/assistant/platform-ai/routes.js'
import { PlatformAiService } from '../features/assistant/platform-ai/service.js'
import { AI_CONFIG, AI_KEY_PLACE } from '../features/assistant/platform-ai/store.js'
import { TEMPLATES } from '../content/templates/catalog.js'

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
