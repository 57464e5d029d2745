/** Describes each part of the interface, in the order in which readers need them. */
import { WEBHOOKS_TAG, WEBHOOKS_TEXT } from './webhooks.js'

export const TAGS = {
  Account: 'Creation of the first administrator, registration, login, and the own account.',
  'API keys': 'Credentials of programs. A key belongs to one organization and has scopes. Its secret is shown once.',
  Members: 'The members of an organization and their roles.',
  Invitations: 'Invitations to an organization, sent by mail and accepted with a token.',
  Analysis: 'Compiles rulesets and runs events as Wazuh does, with a full trace: single events, or a stream.',
  Templates: 'Tested rules and decoders to start with.',
  Projects: 'A project is content that is edited, tested and published together.',
  'Project members': 'Roles of members in one project, in addition to those in the organization.',
  Catalogs: 'The compiled rules and decoders of a project: their dependencies, and rules that can never match.',
  Cases: 'Test cases: events with their expected results, run one by one or all together.',
  Workspaces: 'Copies of the content for editing, separate from the published content.',
  Reviews: 'Reviews of a workspace before its content is published.',
  Versions: 'Immutable copies of the content, which can be published, restored and archived.',
  'Quality gate': 'Conditions that a version must meet before it is published.',
  Reports: 'The quality of the content, and the impact of a change.',
  Notifications: 'Notifications for the user, as a list and as a stream.',
  Integrations: 'Connections to forges, CI systems and chats.',
  'Pipeline runs': 'Runs of pipelines of a CI system: started here, and followed until they end.',
  'Git bindings': 'Bindings of projects to branches of repositories: import, publication, and their history.',
  [WEBHOOKS_TAG]: WEBHOOKS_TEXT,
  Audit: 'The audit log: who changed what, and when.',
  Feedback: 'Reports of members about the service.',
  'Platform administration': 'Organizations and users of the whole instance.',
  Utility: 'Availability of the service.',
} as const satisfies Readonly<Record<string, string>>
