/** What each Git provider supports. It is apart from the gateways, whose libraries are loaded with the first call. */
import type { GitProvider } from '../providers.js'
import type { GitCapabilities } from './gateway.js'

export const GIT_CAPABILITIES: Readonly<Record<GitProvider, GitCapabilities>> = {
  github: {
    supports_repository_listing: true,
    supports_branch_listing: true,
    supports_scan_discovery: true,
    supports_explicit_paths: true,
    supports_direct_publish: true,
    supports_review_publish: true,
    supports_app_auth: true,
    supports_webhook_sync: true,
    supports_pagination: true,
  },
  gitlab: {
    supports_repository_listing: true,
    supports_branch_listing: true,
    supports_scan_discovery: true,
    supports_explicit_paths: true,
    supports_direct_publish: true,
    supports_review_publish: true,
    supports_app_auth: false,
    supports_webhook_sync: true,
    supports_pagination: true,
  },
  gitea: {
    supports_repository_listing: true,
    supports_branch_listing: true,
    supports_scan_discovery: true,
    supports_explicit_paths: true,
    supports_direct_publish: true,
    supports_review_publish: true,
    supports_app_auth: false,
    supports_webhook_sync: true,
    supports_pagination: true,
  },
  git: {
    supports_repository_listing: false,
    supports_branch_listing: true,
    supports_scan_discovery: true,
    supports_explicit_paths: true,
    supports_direct_publish: true,
    supports_review_publish: false,
    supports_app_auth: false,
    supports_webhook_sync: false,
    supports_pagination: false,
  },
}
