import type { SuccessResponse } from '#plugins/responses/index.ts'

/** 202: the write is processed by a job. The response document is a job of this type. */
export interface Accepted<JobType extends string = string> extends SuccessResponse {
  readonly response: 'accepted'
  readonly jobType: JobType
  readonly requiredPlugin: 'async-writes'
}
/** 303: the job is completed; `Location` is the URL of its result. */
export interface SeeOther extends SuccessResponse {
  readonly response: 'seeOther'
}

export const accepted = <const JobType extends string>(jobType: JobType): Accepted<JobType> => ({
  response: 'accepted',
  status: 202,
  answers: ['create', 'update'],
  jobType,
  requiredPlugin: 'async-writes',
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
