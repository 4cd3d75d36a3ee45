/** Written into the bundle by vite.config.ts: the HTTP route of every operation, and the errors by code. */
declare module 'virtual:operations' {
  type Name = import('../../contract/operations.ts').OperationName
  type Method = import('../../contract/operation.ts').Method
  export const operations: Readonly<
    Partial<Record<Name, readonly [method: Method, path: string, produces: 'json' | 'csv' | 'file']>>
  >
}

declare module 'virtual:error-codes' {
  export const errorCodes: readonly (readonly [code: string, title: string])[]
}
