import type { ApiRequest } from './request.ts'

/** Notes that the answer depends on the principal, so that caches keep the answers of different requesters apart. */
export function noteAnswerVaries({ ctx }: Pick<ApiRequest, 'ctx'>): void {
  if (ctx.state.variesByPrincipal) return
  ctx.state.variesByPrincipal = true
  ctx.vary('Authorization')
}
