/** Describes each part of the interface, in the order in which readers need them. */
import { WEBHOOKS_TAG, WEBHOOKS_TEXT } from './webhooks.js'

export const TAGS = {
  Account: 'The first administrator, registration, login, and what users do to their own account.',
  'API keys': 'Credentials of programs, each of one organization and with scopes of its own. A secret is shown once.',
  Members: 'Who belongs to an organization, and with which role.',
  Invitations: 'How people come into an organization: invited by mail, and accepted with a token.',
  Analysis: 'Rulesets compiled and events run as Wazuh does, with the whole trace: one at a time, or a stream of them.',
  Templates: 'Rules and decoders to begin with, each tested.',
  Projects: 'Content that is written, tested and published together.',
  'Project members': 'Roles that members have in one project, beside those in the organization.',
  Catalogs: 'Rules and decoders of a project as they are once compiled: what depends on what, and what can never fire.',
  Cases: 'Events with what they have to give, run one by one or all together.',
  Workspaces: 'Copies of the content to work on, without touching what is published.',
  Reviews: 'What others say of a workspace before it is published.',
  Versions: 'Copies of the content that never change: published, restored, put away.',
  'Quality gate': 'What a version has to hold before it is published.',
  Reports: 'How good the content is, and what a change would do to it.',
  Notifications: 'What the user is told of, as a list and as a stream.',
  [WEBHOOKS_TAG]: WEBHOOKS_TEXT,
  Audit: 'Who did what, and when.',
  Feedback: 'What members report about the service.',
  'Platform administration': 'Organizations and users of the whole instance.',
  Utility: 'Whether the service is there.',
} as const satisfies Readonly<Record<string, string>>
