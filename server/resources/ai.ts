/** Mounts the assistant and its configuration. `index.ts` mounts the other resources beside them. */
import { type AnyPlatformSealedField, platformSealedField } from '../auth/reseal.js'
import { OpenAiGateway } from '../gateways/ai/openai.js'
import type { Route } from '../http/route.js'
import type { CollectionDefinition } from '../storage/contract.js'
import type { ResourceParts } from './parts.js'
import { platformAiRoutes } from './platform-ai/routes.js'
import { PlatformAiService } from './platform-ai/service.js'
import { AI_CONFIG, AI_KEY_PLACE } from './platform-ai/store.js'

/** The collections of these resources. */
export const AI_COLLECTIONS: readonly CollectionDefinition[] = [AI_CONFIG]

/** Their sealed texts in collections of the instance. */
export const AI_SEALED_FIELDS: readonly AnyPlatformSealedField[] = [
  platformSealedField({ collection: AI_CONFIG, field: 'api_key', purpose: 'aiProvider', place: () => AI_KEY_PLACE }),
]

export function createAiRoutes({ storage, identities, guard, http, clock }: ResourceParts): readonly Route[] {
  const ai = new PlatformAiService({ storage, identities, guard, openAi: (connection) => new OpenAiGateway(connection, { http, clock }) })
  return platformAiRoutes(ai)
}
