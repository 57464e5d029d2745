/** The stored configuration of the assistant: one document for the instance. */
import { platformCollection, type StoredDocument } from '../../../core/storage/contract.js'

export const AI_CONFIG_ID = 'ai'

export interface AiConfigDocument extends StoredDocument {
  readonly enabled: boolean
  /** Base address of the provider, without a trailing slash; null: there is none, and cases come from the engine alone. */
  readonly base_url: string | null
  /** Sealed; null: the provider takes no key. */
  readonly api_key: string | null
  readonly api_key_set_at: Date | null
  readonly model: string | null
  readonly embedding_model: string | null
  /** Records of the knowledge base that an answer may use. */
  readonly max_context_docs: number
  /** E-mail of the platform admin at that time. */
  readonly updated_by: string | null
  readonly updated_at: Date | null
  readonly revision: number
}

export const AI_CONFIG = platformCollection<AiConfigDocument>('ai_config', [])

/** Enough for a question about one option with its diagnostics and an example. */
const CONTEXT_DOCS = 6

/** What is in force before a platform admin has stored anything. */
export const NO_AI_CONFIG: AiConfigDocument = {
  _id: AI_CONFIG_ID,
  enabled: false,
  base_url: null,
  api_key: null,
  api_key_set_at: null,
  model: null,
  embedding_model: null,
  max_context_docs: CONTEXT_DOCS,
  updated_by: null,
  updated_at: null,
  revision: 0,
}

/** The place to which the key is bound when it is sealed. */
export const AI_KEY_PLACE = 'ai:config'
