/**
 * The built-in table of plans (CONTRACT.md#plans): limits and displayed data. A null limit means unlimited. Without billing every organization is on
 * `self_hosted`; with billing a new organization begins on `free`.
 */
import type { Locale } from '../i18n/locale.js'

/** Limits of a plan. Null: unlimited. */
export interface PlanLimits {
  readonly projects: number | null
  /** Logtests and case runs, one unit each, per calendar month in UTC. */
  readonly analysis_runs_per_month: number | null
  /** Requests of all callers of the organization together. */
  readonly api_requests_per_minute: number | null
  readonly webhooks: number | null
  readonly members: number | null
}

export interface PlanFeatures {
  readonly api_access: boolean
  readonly ai_assistant: boolean
  readonly sso: boolean
  /** Null: as long as the organization exists. */
  readonly audit_log_retention_days: number | null
}

/** A plan with the data of a BillingPlanRecord. Prices are per seat in cents; 0 where there is no public price. */
export interface Plan {
  readonly id: string
  readonly code: PlanCode
  readonly name: string
  readonly description: Readonly<Record<Locale, string>>
  readonly currency: string
  readonly monthly_price_cents: number
  readonly annual_price_cents: number
  readonly minimum_seats: number
  readonly maximum_seats: number
  readonly display_order: number
  readonly status: 'active' | 'retired'
  /** Whether the plan can be bought and is listed publicly. */
  readonly is_public: boolean
  readonly contact_sales: boolean
  readonly features: PlanFeatures
  readonly limits: PlanLimits
  readonly metadata: Readonly<Record<string, string>>
  readonly created_at: Date
  readonly updated_at: Date
}

export const PLAN_CODES = ['self_hosted', 'free', 'team', 'enterprise'] as const
export type PlanCode = (typeof PLAN_CODES)[number]

/** Maximum seats of a checkout (CONTRACT.md#limits). */
const SEATS_LIMIT = 100_000
const WRITTEN_AT = new Date('2026-11-21T00:00:00.000Z')

const common = { currency: 'USD', minimum_seats: 1, status: 'active', metadata: {}, created_at: WRITTEN_AT, updated_at: WRITTEN_AT } as const

export const PLANS: Readonly<Record<PlanCode, Plan>> = {
  self_hosted: {
    ...common,
    id: 'self_hosted',
    code: 'self_hosted',
    name: 'Self-hosted',
    description: { 'en-US': 'All features, without limits, on your own machines.', 'pt-BR': 'Todos os recursos, sem limites, nas suas próprias máquinas.' },
    monthly_price_cents: 0,
    annual_price_cents: 0,
    maximum_seats: SEATS_LIMIT,
    display_order: 0,
    is_public: false,
    contact_sales: false,
    features: { api_access: true, ai_assistant: true, sso: true, audit_log_retention_days: null },
    limits: { projects: null, analysis_runs_per_month: null, api_requests_per_minute: null, webhooks: null, members: null },
  },
  free: {
    ...common,
    id: 'free',
    code: 'free',
    name: 'Free',
    description: { 'en-US': 'For evaluation and for small rulesets.', 'pt-BR': 'Para avaliação e para conjuntos de regras pequenos.' },
    monthly_price_cents: 0,
    annual_price_cents: 0,
    maximum_seats: 10,
    display_order: 1,
    is_public: true,
    contact_sales: false,
    features: { api_access: true, ai_assistant: false, sso: false, audit_log_retention_days: 30 },
    limits: { projects: 5, analysis_runs_per_month: 10_000, api_requests_per_minute: 600, webhooks: 2, members: 10 },
  },
  team: {
    ...common,
    id: 'team',
    code: 'team',
    name: 'Team',
    description: { 'en-US': 'For a team that writes, reviews and publishes every day.', 'pt-BR': 'Para uma equipe que escreve, revisa e publica todos os dias.' },
    monthly_price_cents: 4900,
    annual_price_cents: 49_000,
    maximum_seats: 50,
    display_order: 2,
    is_public: true,
    contact_sales: false,
    features: { api_access: true, ai_assistant: true, sso: false, audit_log_retention_days: 365 },
    limits: { projects: 100, analysis_runs_per_month: 1_000_000, api_requests_per_minute: 3000, webhooks: 20, members: 50 },
  },
  enterprise: {
    ...common,
    id: 'enterprise',
    code: 'enterprise',
    name: 'Enterprise',
    description: { 'en-US': 'For organizations with many teams, and with single sign-on.', 'pt-BR': 'Para organizações com muitas equipes e com login único.' },
    monthly_price_cents: 0,
    annual_price_cents: 0,
    maximum_seats: SEATS_LIMIT,
    display_order: 3,
    is_public: true,
    contact_sales: true,
    features: { api_access: true, ai_assistant: true, sso: true, audit_log_retention_days: null },
    limits: { projects: null, analysis_runs_per_month: null, api_requests_per_minute: 12_000, webhooks: 200, members: null },
  },
}

/** The plan with that id; null: it does not exist or is retired. */
export function planById(id: string): Plan | null {
  return PLAN_CODES.map((code) => PLANS[code]).find((plan) => plan.id === id) ?? null
}
