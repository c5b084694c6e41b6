import { data, defineAction } from '#plugins/actions/index.ts'
import { WebhookDelivery } from '../entity.ts'

export default defineAction(WebhookDelivery, {
  answers: 'data',
  asLink: false,
  description:
    'Sends the event again, with the same id, also if it was delivered. Later events of the resource wait for it.',

  handle({ subject }) {
    Object.assign(subject as object, {
      state: 'waiting',
      attempts: 0,
      dueAt: new Date(),
      finishedAt: null,
      error: null,
    })
    return data(subject as object)
  },
})
