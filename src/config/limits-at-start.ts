/**
 * The limits that a server reads once, when it starts: sizes of caches and queues, what threads are started with, intervals.
 * A reload leaves them as they are. A test compares the list with what a start reads.
 */

const names = {
  http: `
    headerBytesMax headersMax urlBytesMax headersTimeoutMs requestTimeoutMs keepAliveTimeoutMs
    slowReaderMs connectionsMax preflightCacheMs adminConnectionsMax adminTimeoutMs`,
  bodies: `
    jsonDepthMax jsonValuesMax integerMax
    authBodyBytesMax webhookBodyBytesMax`,
  budgets: `
    bodyBudgetBytes eventBudgetBytes shareOfKeyMax shareOfAccountMax shareOfNetworkMax
    controlBodyBudgetBytes anonymousBodyBudgetBytes webhookBodyBudgetBytes anonymousShareOfNetworkMax
    anonymousShareOfSiteMax`,
  rates: `
    requestsWithoutKeyPerMinute modelListsPerMinute ratesKeptMax
    changesPerMinute changersKeptMax codeTriesPerMinute codeTriersMax csvAtOnceMax csvPerAccountMax
    countRequestsPerMinute countsPerAccountMax readOnPerAccountMax
    providerKeyTestsPerMinute providerKeyStatesMax holdWaitersPerAccountMax`,
  memory: `
    keysCachedMax unknownKeysCachedMax limitedUpstreamsMax speedsMax metricPairsMax writtenListsMax`,
  tokens: `
    countRunBytesMax countMs countQueueMax pdfInflatedBytesMax pdfReadMs pdfsQueuedMax`,
  money: `
    reserveShare holdMsMax driftLinesMax ledgerCheckAccountsMax ledgerCheckReceiptsMax checkoutMs
    topUpNanoMin topUpNanoMax stripeTimeoutMs stripeRetriesMax alertCheckMs automaticTopUpsMs
    topUpCheckMs missedEventsCheckMs`,
  database: `
    batchOperationsMax operationsQueuedMax admissionRecordMs commitProbeMs databaseRetryMs databaseLanes
    databaseLaneOperationsMin databaseConnectMs databaseStatementMs databaseReportMs
    databaseVerifyMs databaseLeaseMs`,
  people: `
    recentLoginMs passwordCharactersMin passwordCharactersMax passwordHashesMax passwordHashesQueuedMax
    attemptsWindowMs guessesPerPersonMax guessesPerNetworkMax guessesFromStrangersMax
    signUpsPerNetworkMax challengesPerNetworkMax emailsPerAddressMax emailsPerNetworkMax
    attemptsKeptMax uniformAnswerMs sessionDaysMax sessionsPerPersonMax
    sessionCachedMs invitationDaysMax
    openInvitationsMax organizationsPerPersonMax membersPerOrganizationMax issuerMs issuerRetryMs
    mailMs`,
  others: `
    changesGatherMs tokenRefreshMs`,
}

export const limitsAtStart: ReadonlySet<string> = new Set(
  Object.values(names).flatMap((text) => text.trim().split(/\s+/)),
)
