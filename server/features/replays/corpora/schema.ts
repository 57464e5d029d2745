/** Requests and answers about corpora. */
import Type, { type Static } from 'typebox'
import { EXAMPLE_ID, fields } from '../../../core/auth/records.js'
import { listQuery } from '../../../core/http/request/list-query.js'
import { nullable } from '../../../core/nullable.js'
import { CORPUS_BYTES, DEFAULT_RETENTION_DAYS, PART_BYTES, RETENTION_DAYS } from './limits.js'
import { DEFAULT_REGION, OBJECT_FAILURES } from './object-store.js'
import { CORPUS_STATUSES } from './store.js'

const DIGEST = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'

export const CorporaParams = Type.Object({ project_id: fields.id('The project.') })
export const CorpusParams = Type.Object({ project_id: fields.id('The project.'), corpus_id: fields.id('The corpus.') })

export const CorpusListQuery = listQuery({ filters: { status: Type.Optional(Type.Enum([...CORPUS_STATUSES], { description: 'Only corpora with this status.' })) } })
export type CorpusListQuery = Static<typeof CorpusListQuery>

const KEY_CHARACTERS = 1024
const TOKEN_CHARACTERS = 8192
const PRINTABLE = '^[\\x21-\\x7e]+$'

const CREDENTIALS = Type.Object(
  {
    access_key_id: Type.String({ minLength: 1, maxLength: KEY_CHARACTERS, pattern: PRINTABLE, examples: ['AKIAEXAMPLE'], description: 'Id of a key that may read the object.' }),
    secret_access_key: Type.String({ minLength: 1, maxLength: KEY_CHARACTERS, pattern: PRINTABLE, examples: ['example-secret'], description: 'The key.' }),
    session_token: Type.Optional(
      nullable(
        Type.String({ minLength: 1, maxLength: TOKEN_CHARACTERS, pattern: PRINTABLE, examples: ['example-token'] }),
        'Token of a temporary key. Absent or null: the key is not temporary.',
      ),
    ),
  },
  { description: 'Credentials of the store.' },
)

const OBJECT = Type.Object(
  {
    url: Type.String({
      format: 'http-uri',
      maxLength: 2048,
      examples: ['https://s3.eu-central-1.amazonaws.com/siem-archive/2026/10/archive.json.gz'],
      description: 'Address of the object, below one that the operator permits (`OBJECT_STORES`). gzip is recognized, and zstd where the service runs on Node 22.',
    }),
    region: Type.Optional(Type.String({ pattern: '^[a-z0-9-]{1,64}$', examples: ['eu-central-1'], description: `Region of the bucket; ${DEFAULT_REGION} if it is absent.` })),
    credentials: Type.Optional(nullable(CREDENTIALS, 'Sealed, in no answer, and deleted when the import ends. Absent or null: the object is public, or its address is signed.')),
  },
  { description: 'An object of S3-compatible storage.' },
)

export const CorpusCreateRequest = Type.Object(
  {
    name: fields.name('Name of the corpus.'),
    size_bytes: Type.Integer({
      minimum: 1,
      maximum: CORPUS_BYTES,
      examples: [1_048_576],
      description: 'Bytes that will be uploaded; of an object, the most that may be imported, decompressed. The plan may permit fewer.',
    }),
    object: Type.Optional(nullable(OBJECT, 'An object of S3-compatible storage, which the service imports. Absent or null: the bytes are uploaded.')),
    retention_days: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: RETENTION_DAYS,
        default: DEFAULT_RETENTION_DAYS,
        description: 'Days after the upload until the corpus is deleted. The plan may permit fewer.',
      }),
    ),
  },
  { $id: 'CorpusCreateRequest', description: 'A corpus to upload.' },
)
export type CorpusCreateRequest = Static<typeof CorpusCreateRequest>

export const CorpusPartQuery = Type.Object({
  offset: Type.Integer({ minimum: 0, maximum: CORPUS_BYTES, examples: [0], description: 'Position of the first byte of the part in the corpus: `received_bytes` of the record.' }),
})
export const CorpusPart = Type.String({
  contentMediaType: 'application/octet-stream',
  description: `The next bytes of the corpus, at most ${PART_BYTES}. Lines may be cut anywhere.`,
})

export const CorpusRecord = Type.Object(
  {
    id: Type.String({ examples: [EXAMPLE_ID], description: 'Identifier.' }),
    project_id: Type.String({ examples: [EXAMPLE_ID], description: 'The project.' }),
    name: Type.String({ examples: ['Perimeter, October'], description: 'Name of the corpus.' }),
    status: Type.Enum([...CORPUS_STATUSES], {
      description:
        '`uploading`: parts are missing. `importing`: its object is read. `ready`: it can be replayed. `failed`: its import failed. `deleting`: its content can not be read any more.',
    }),
    size_bytes: Type.Integer({ minimum: 1, examples: [1_048_576], description: 'Bytes that were declared; of an import that is complete, its bytes.' }),
    received_bytes: Type.Integer({ minimum: 0, examples: [1_048_576], description: 'Bytes that were received: the offset of the next part.' }),
    line_count: nullable(Type.Integer({ minimum: 0, examples: [9120] }), 'Lines; null: the upload is not complete.'),
    sha256: nullable(Type.String({ examples: [DIGEST] }), 'SHA-256 of the uploaded bytes, in lower-case hex; null: the upload is not complete.'),
    object_url: nullable(
      Type.String({ examples: ['https://s3.eu-central-1.amazonaws.com/siem-archive/2026/10/archive.json.gz'] }),
      'The address that it is imported from, without its query; null: it is uploaded.',
    ),
    failure: nullable(
      Type.Enum([...OBJECT_FAILURES]),
      'Why the import failed: there is no such object, its store refused the credentials, it is larger than `size_bytes`, it is empty, its compression is damaged or unknown, or its store did not answer. Null: it did not fail.',
    ),
    retention_days: Type.Integer({ minimum: 1, examples: [DEFAULT_RETENTION_DAYS], description: 'Days after the upload until it is deleted.' }),
    expires_at: fields.timestamp('When it is deleted. An upload that gets no further part is deleted after a day.'),
    created_by: Type.String({ examples: [EXAMPLE_ID], description: 'User or API key that created it.' }),
    created_by_name: Type.String({ examples: ['ana@example.com'], description: 'Name of that user or key at the time.' }),
    created_at: fields.timestamp('When it was created.'),
    updated_at: fields.timestamp('When the last part was received.'),
  },
  { $id: 'CorpusRecord', description: 'A corpus: a sample of events, one a line.' },
)
export type CorpusRecord = Static<typeof CorpusRecord>

export const CorpusDeletion = Type.Object(
  {
    id: Type.String({ examples: [EXAMPLE_ID], description: 'Identifier of the corpus.' }),
    name: Type.String({ examples: ['Perimeter, October'], description: 'Its name.' }),
    received_bytes: Type.Integer({ minimum: 0, examples: [1_048_576], description: 'Bytes that it had.' }),
    sha256: nullable(Type.String({ examples: [DIGEST] }), 'SHA-256 of the bytes that it had; null: its upload was not complete.'),
    deleted_at: fields.timestamp('When nothing of it was left.'),
    audit_id: nullable(
      Type.String({ examples: [EXAMPLE_ID] }),
      'The entry in the audit log that has the same; null: it was deleted by another request or by the end of its retention meanwhile.',
    ),
  },
  { $id: 'CorpusDeletion', description: 'What was deleted.' },
)
export type CorpusDeletion = Static<typeof CorpusDeletion>
