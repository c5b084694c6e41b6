import type { Principal } from '#kernel/plugin'

const isAdmin = (principal: Principal | null): boolean => principal?.roles.includes('admin') === true

/** Only the role `admin` reads and changes webhooks. The types are not served without authorization. */
export class WebhookPolicy {
  static readonly requiredPlugin = 'authorization'
  static readonly needs = { view: [], update: [], delete: [] }

  scope = isAdmin
  viewAny = isAdmin
  view = isAdmin
  create = isAdmin
  update = isAdmin
  delete = isAdmin
}
