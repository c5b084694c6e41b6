import type { Principal } from '#kernel'
import { type Needs, Policy } from '#plugins/authorization/index.ts'
import type { Article } from './entity.ts'

/** Editors write articles. Reads are not checked: see `abilities` of the resource. */
export class ArticlePolicy extends Policy<Article> {
  static override readonly needs = { update: [], delete: [] } satisfies Needs<Article>

  override create(principal: Principal | null) {
    return isEditor(principal)
  }
  override update(principal: Principal | null) {
    return isEditor(principal)
  }
  override delete(principal: Principal | null) {
    return isEditor(principal)
  }
}

function isEditor(principal: Principal | null): boolean {
  return principal?.roles.includes('editor') ?? false
}
