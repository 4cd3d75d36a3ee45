/** Errors of embeddings: clients of this format read the same words as chat clients do. */
export { errorBody, errorFrame, errorStatus, problemStatus } from '../openai-chat/error.ts'
