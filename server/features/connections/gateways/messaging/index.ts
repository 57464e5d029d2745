/** The table of chats. A new one is a file beside this one and a line here. */
import type { MessagingProvider } from '../providers.js'
import type { MessagingGateway } from './gateway.js'
import { MATTERMOST } from './mattermost.js'
import { MICROSOFT_TEAMS } from './microsoft-teams.js'
import { SLACK } from './slack.js'

export const MESSAGING: Readonly<Record<MessagingProvider, MessagingGateway>> = { slack: SLACK, mattermost: MATTERMOST, microsoft_teams: MICROSOFT_TEAMS }
