import { defineAction, noContent } from '#plugins/actions/index.ts'
import { closeSession } from '../../../plugins/sessions/index.ts'
import { Account } from '../entity.ts'

export default defineAction(Account, {
  on: 'collection',
  answers: 'noContent',
  description: 'Ends the session and removes its cookie.',

  async handle({ unit, request }) {
    if (request) await closeSession(request.ctx, unit)
    return noContent()
  },
})
