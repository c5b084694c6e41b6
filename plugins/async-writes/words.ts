import type { NeedsPlugin } from '#kernel/plugin'
import type { SuccessResponse } from '#plugins/responses/index.ts'

/** The write is done later; the body is the document of a job of this type. */
export interface Accepted extends SuccessResponse, NeedsPlugin {
  readonly response: 'accepted'
  readonly jobType: string
}
/** Of a job: it is finished, and its result is somewhere else. */
export interface SeeOther extends SuccessResponse {
  readonly response: 'seeOther'
}

export const accepted = (jobType: string): Accepted => ({
  response: 'accepted',
  status: 202,
  answers: ['create', 'update'],
  jobType,
  needsPlugin: 'async-writes',
})
export const seeOther = (): SeeOther => ({ response: 'seeOther', status: 303, answers: ['fetchOne'] })

declare module '#plugins/responses/responses.ts' {
  interface CreateResponses {
    accepted: Accepted
  }
  interface UpdateResponses {
    accepted: Accepted
  }
  interface FetchOneResponses {
    seeOther: SeeOther
  }
}
