import type { Principal } from '#kernel'
import { type Needs, Policy } from '#plugins/authorization/index.ts'
import type { ExportJob } from './entity.ts'

/**
 * A principal sees the jobs that it has requested, an administrator all of them. Anonymous requesters share their jobs, and
 * cannot list them: each follows the URL that the response to its export contains.
 */
export class ExportJobPolicy extends Policy<ExportJob> {
  static override readonly needs = { view: [] } satisfies Needs<ExportJob>

  override scope(principal: Principal | null) {
    return principal?.roles.includes('admin') || { requestedBy: principal?.identifier ?? null }
  }
  override viewAny(principal: Principal | null) {
    return principal !== null
  }
  override view() {
    return true
  }
}
