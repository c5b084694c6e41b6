import type { Principal } from '#kernel'
import { Policy, type PolicyRow } from '#plugins/authorization/index.ts'
import type { Article } from './entity.ts'

/** Published articles exist for all requesters, drafts for their author and for editors. */
export class ArticlePolicy extends Policy<Article> {
  static override readonly needs = { view: [], update: ['author'], delete: ['author'] }

  override scope(principal: Principal | null) {
    if (isEditor(principal)) return true
    const published = { publishedAt: { $lte: new Date() } }
    return principal ? { $or: [published, { author: principal.identifier }] } : published
  }
  override viewAny() {
    return true
  }
  override view() {
    return true
  }
  override create(principal: Principal | null) {
    return principal !== null
  }
  override update(principal: Principal | null, article: PolicyRow<Article>) {
    return isEditor(principal) || article.author === principal?.identifier
  }
  override delete(principal: Principal | null, article: PolicyRow<Article>) {
    return this.update(principal, article)
  }
}

function isEditor(principal: Principal | null): boolean {
  return principal?.roles.includes('editor') ?? false
}
