/** The version of Stripe's API for which the objects are read. Another version of the library does not compile with it. */
export const STRIPE_API_VERSION = '2026-10-28.endive'
