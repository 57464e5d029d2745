/** The assistant: questions about rules, generated cases, its knowledge base, and the configuration of its language model. */
import { platformSealedField } from '../../core/auth/reseal.js'
import { answerReader } from '../../core/egress/reader.js'
import type { OpenWing, Wing } from '../../core/wing.js'
import { TEMPLATES } from '../../content/templates/catalog.js'
import { TAGS } from '../../docs/tags.js'
import { OpenAiGateway } from './gateways/openai.js'
import { IndexedKnowledge } from './knowledge/base.js'
import { platformAiRoutes } from './platform-ai/routes.js'
import { PlatformAiService } from './platform-ai/service.js'
import { AI_CONFIG, AI_KEY_PLACE } from './platform-ai/store.js'
import { assistantRoutes } from './routes.js'
import { AssistantService } from './service.js'
import { AI_USAGE } from './store.js'

export const assistant: Wing = {
  collections: [AI_CONFIG, AI_USAGE],
  platformSealed: [platformSealedField({ collection: AI_CONFIG, field: 'api_key', purpose: 'aiProvider', place: () => AI_KEY_PLACE })],
  open(context): OpenWing {
    const { config, storage, identities, guard, http, quotas, throttles, pool, limits, connections, openSessions, log, clock, forgetting } = context
    const reader = answerReader(pool, limits, null)
    const ai = new PlatformAiService({ storage, identities, guard, openAi: (connection) => new OpenAiGateway(connection, { http, reader, clock }), forgetting })
    const knowledgePath = config.aiKnowledgeBasePath
    // Read with the first question, when all wings are open.
    const declarations = () => ({ routes: context.opened().flatMap(({ routes }) => routes), tags: TAGS, templates: TEMPLATES })
    const knowledge = new IndexedKnowledge({ declarations, folder: knowledgePath, log, clock })
    const { tenancy } = identities
    const service = new AssistantService({ ai, knowledge, knowledgePath, quotas, throttles, pool, connections, sessions: openSessions, tenancy, log, clock })
    return { routes: [...assistantRoutes(service), ...platformAiRoutes(ai)], close: () => knowledge.close() }
  },
}
