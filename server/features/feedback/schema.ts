/** Requests and answers about feedback reports. */
import Type, { type Static } from 'typebox'
import { fields } from '../../core/auth/records.js'
import { listQuery } from '../../core/http/request/list-query.js'
import { FEEDBACK_KINDS, FEEDBACK_STATUSES, type FeedbackKind, type FeedbackStatus } from './store.js'

/** The spelling of the web interface, which is accepted too. */
const WRITTEN_KIND = 'feature request'
const DESCRIPTION_CHARACTERS = 10_000
/** Enough for some screenshots and a log. Five attachments of this size fit into the largest body. */
const ATTACHMENTS_OF_A_REPORT = 5
export const ATTACHMENT_BYTES = 1024 * 1024
const ATTACHMENT_CHARACTERS = Math.ceil(ATTACHMENT_BYTES / 3) * 4
/** RFC 6838 allows 127 characters on each side; the types in use are shorter. */
const CONTENT_TYPE_CHARACTERS = 127
const CONTENT_TYPE = '^[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*$'

const kind = (description: string) => Type.Enum([...FEEDBACK_KINDS, WRITTEN_KIND] as [FeedbackKind, ...(FeedbackKind | typeof WRITTEN_KIND)[]], { description })
const status = (description: string) => Type.Enum([...FEEDBACK_STATUSES] as [FeedbackStatus, ...FeedbackStatus[]], { description })

/** Returns the kind of a report from the spelling in the request. */
export function kindOf(written: FeedbackKind | typeof WRITTEN_KIND): FeedbackKind {
  return written === WRITTEN_KIND ? 'feature_request' : written
}

export const OrganizationParams = Type.Object({ organization_id: fields.id('The organization.') })
export const ReportParams = Type.Object({ organization_id: fields.id('The organization.'), report_id: fields.id('The feedback report.') })
export const AttachmentParams = Type.Object({
  organization_id: fields.id('The organization.'),
  report_id: fields.id('The feedback report.'),
  attachment_id: fields.id('The attachment.'),
})

export const FeedbackListQuery = listQuery({
  sort: ['created_at', 'updated_at'],
  filters: { kind: Type.Optional(kind('Only reports of this kind.')), status: Type.Optional(status('Only reports with this status.')) },
})
export type FeedbackListQuery = Static<typeof FeedbackListQuery>

export const InstanceReportParams = Type.Object({ report_id: fields.id('The feedback report.') })
export const InstanceFeedbackListQuery = listQuery({
  sort: ['created_at', 'updated_at'],
  filters: {
    organization_id: Type.Optional(fields.id('Only reports of this organization.')),
    kind: Type.Optional(kind('Only reports of this kind.')),
    status: Type.Optional(status('Only reports with this status.')),
  },
})
export type InstanceFeedbackListQuery = Static<typeof InstanceFeedbackListQuery>

const AttachmentUpload = Type.Object(
  {
    filename: fields.name('Name of the file.'),
    content_type: Type.String({ maxLength: CONTENT_TYPE_CHARACTERS, pattern: CONTENT_TYPE, examples: ['text/plain'], description: 'Media type of the content.' }),
    content: Type.String({
      minLength: 4,
      maxLength: ATTACHMENT_CHARACTERS,
      contentEncoding: 'base64',
      examples: ['SmFuICA1IDEwOjExOjEyIHdlYjEgc3NoZFsxMl06IG9rCg=='],
      description: 'The content, in base64 with padding; at most 1 MiB of bytes.',
    }),
  },
  { $id: 'FeedbackAttachmentUpload', description: 'A file to attach to a report.' },
)
export type AttachmentUpload = Static<typeof AttachmentUpload>

export const FeedbackCreateRequest = Type.Object(
  {
    kind: kind('Kind of the report. `feature request` is accepted for `feature_request`.'),
    title: fields.name('Title of the report.'),
    description: Type.Optional(fields.text(DESCRIPTION_CHARACTERS, 'Details. Default: empty.')),
    attachments: Type.Optional(Type.Array(AttachmentUpload, { maxItems: ATTACHMENTS_OF_A_REPORT, description: 'Files, for example screenshots, logs or rules. Default: none.' })),
  },
  { $id: 'FeedbackCreateRequest', description: 'A feedback report to create.' },
)
export type FeedbackCreateRequest = Static<typeof FeedbackCreateRequest>

export const FeedbackUpdateRequest = Type.Object(
  { status: Type.Optional(status('The new status.')) },
  { $id: 'FeedbackUpdateRequest', description: 'The new status. The other fields of a report cannot be updated.' },
)
export type FeedbackUpdateRequest = Static<typeof FeedbackUpdateRequest>

const UUID = 'b0c4a1de-0d53-4c6e-9f57-0a6f6c1d2e3f'

const FeedbackAttachment = Type.Object(
  {
    id: Type.String({ examples: [UUID], description: 'Identifier.' }),
    filename: Type.String({ examples: ['auth.log'], description: 'Name of the file.' }),
    content_type: Type.String({ examples: ['text/plain'], description: 'Media type, as the sender named it.' }),
    size: Type.Integer({ minimum: 0, description: 'Size in bytes.' }),
  },
  { $id: 'FeedbackAttachment', description: 'An attachment, without its content.' },
)

export const FeedbackReportRecord = Type.Object(
  {
    id: Type.String({ examples: [UUID], description: 'Identifier.' }),
    organization_id: Type.String({ examples: [UUID], description: 'The organization.' }),
    kind: Type.Enum([...FEEDBACK_KINDS] as [FeedbackKind, ...FeedbackKind[]], { description: 'Kind of the report.' }),
    title: Type.String({ examples: ['Rule 5716 is shown twice'], description: 'Title of the report.' }),
    description: Type.String({ examples: ['In the catalog, when sorted by level.'], description: 'Details.' }),
    attachments: Type.Array(FeedbackAttachment, { description: 'Attached files.' }),
    status: status('Status of the report; `open` at first.'),
    created_by: Type.String({ examples: [UUID], description: 'Identifier of the user or API key that created it.' }),
    created_by_name: Type.String({ examples: ['ana@example.com'], description: 'E-mail of that user, or name of that key, at that time.' }),
    created_at: fields.timestamp('When it was created.'),
    updated_at: fields.timestamp('When its status was last updated.'),
  },
  { $id: 'FeedbackReportRecord', description: 'A feedback report.' },
)

export const InstanceFeedbackReportRecord = Type.Object(
  { ...FeedbackReportRecord.properties, organization_name: Type.String({ examples: ['Example SOC'], description: 'Present name of the organization.' }) },
  { $id: 'InstanceFeedbackReportRecord', description: 'A feedback report of any organization.' },
)
