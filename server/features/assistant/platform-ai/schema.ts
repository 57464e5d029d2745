/** Requests and answers about the configuration of the assistant. */
import Type, { type Static } from 'typebox'
import { fields } from '../../../core/auth/records.js'
import { nullable } from '../../../core/nullable.js'
import { ONE_LINE } from '../../../core/patterns.js'

/** Longest URL that servers commonly accept. */
const URL_CHARACTERS = 2048
/** Longer than the keys of known providers, some of which are signed tokens. */
const KEY_CHARACTERS = 4096
/** Longer than the names of known models, which may be paths. */
const MODEL_CHARACTERS = 255
/** Records that an answer may use: with more of them the question is lost among them. */
const CONTEXT_DOCS_LIMIT = 20

const model = (example: string) => Type.String({ minLength: 1, maxLength: MODEL_CHARACTERS, pattern: ONE_LINE, examples: [example] })
const contextDocs = Type.Integer({ minimum: 1, maximum: CONTEXT_DOCS_LIMIT, examples: [6], description: 'Maximum records of the knowledge base that an answer uses. Default 6.' })

export const AiConfigRequest = Type.Object(
  {
    enabled: Type.Optional(Type.Boolean({ description: 'Whether the assistant answers.' })),
    base_url: Type.Optional(
      nullable(
        Type.String({ minLength: 1, maxLength: URL_CHARACTERS, format: 'http-uri', examples: ['https://api.openai.com/v1'] }),
        "Base address, with its version, of an API that is compatible with OpenAI's; without credentials, query and fragment. Null: there is no provider, and test cases come from the engine alone.",
      ),
    ),
    api_key: Type.Optional(
      nullable(
        // A header is built of it: no spaces, no control characters, no characters beyond ASCII.
        Type.String({ minLength: 1, maxLength: KEY_CHARACTERS, pattern: '^[!-~]+$', examples: ['sk-example'] }),
        'Key of the provider, which is stored encrypted and never answered. Null removes it. A new address needs a new key.',
      ),
    ),
    model: Type.Optional(nullable(model('gpt-5-mini'), 'Model that answers; required with an address.')),
    embedding_model: Type.Optional(nullable(model('text-embedding-3-small'), 'Model for the search by meaning; null: the knowledge base is searched by words alone.')),
    max_context_docs: Type.Optional(contextDocs),
  },
  { $id: 'AiConfigRequest', description: 'The configuration of the assistant. A field that is missing keeps its value.' },
)
export type AiConfigRequest = Static<typeof AiConfigRequest>

export const AiConfigRecord = Type.Object(
  {
    enabled: Type.Boolean({ description: 'Whether the assistant answers.' }),
    base_url: nullable(Type.String({ examples: ['https://api.openai.com/v1'] }), 'Address of the provider; null: there is none.'),
    has_api_key: Type.Boolean({ description: 'Whether a key is stored.' }),
    api_key_set_at: nullable(fields.timestamp('When the key was last sent.'), 'When the key was last sent; null: there is none.'),
    model: nullable(Type.String({ examples: ['gpt-5-mini'] }), 'Model that answers; null: none is set.'),
    embedding_model: nullable(Type.String({ examples: ['text-embedding-3-small'] }), 'Model for the search by meaning; null: none.'),
    max_context_docs: contextDocs,
    updated_by: nullable(Type.String({ examples: ['ana@example.com'] }), 'E-mail of the platform admin who last updated it; null: nobody did.'),
    updated_at: nullable(fields.timestamp('When it was last updated.'), 'When it was last updated; null: never.'),
  },
  { $id: 'AiConfigRecord', description: 'The configuration of the assistant, without the key.' },
)

export const AiTestResult = Type.Object(
  {
    ok: Type.Literal(true, { description: 'Always true: a failed test is an error.' }),
    checked: Type.Enum(['provider', 'engine'], { description: '`engine`: there is no provider, and nothing was called.' }),
    model: nullable(Type.String({ examples: ['gpt-5-mini'] }), 'Model that answered; null: there is no provider.'),
    answer_ms: nullable(Type.Integer({ minimum: 0, examples: [840] }), 'Milliseconds until the whole answer was there; null: there is no provider.'),
    embedding_dimensions: nullable(Type.Integer({ minimum: 1, examples: [1536] }), 'Length of the vectors; null: there is no embedding model.'),
  },
  { $id: 'AiTestResult', description: 'The result of a successful test.' },
)
