package doctor

import (
	_ "embed" // for checks.yaml
	"net/http"

	"rialto/internal/embedded"
)

// check is one thing that is examined, as checks.yaml describes it.
type check struct {
	ID     string
	Of     string   // address, login, or ""
	Needs  []string // keys of needs, each after those that it relies on
	Title  string
	Breaks []Client
	Minor  bool
	Expect string
	Fix    string
}

//go:embed checks.yaml
var checksFile []byte

// checks returns all checks, in their order.
var checks = embedded.YAML[[]check](checksFile)

// examiners examine what a check is about, by its ID.
var examiners = map[string]func(*examination) finding{
	"url":            checkURL,
	"https":          checkHTTPS,
	"dns":            checkDNS,
	"public":         checkPublic,
	"ipv4":           checkIPv4,
	"tls":            checkTLS,
	"reach":          checkReach,
	"redirect-mcp":   checkRedirect,
	"redirect-slash": checkSlash,

	"post-401":        check401(http.MethodPost),
	"get-401":         check401(http.MethodGet),
	"delete-401":      check401(http.MethodDelete),
	"401-before-body": checkBeforeBody,
	"challenge":       checkChallenge,
	"challenge-get":   checkChallengeGet,
	"challenge-scope": checkChallengeScope,
	"challenge-error": checkChallengeError,
	"bad-token":       checkBadToken,
	"bad-token-error": checkBadTokenError,

	"prm-challenge": checkNamed,
	"prm-path":      checkResourcePath,
	"prm-root":      checkResourceRoot,
	"prm-resource":  checkResource,
	"prm-servers":   checkServers,
	"prm-offline":   checkOffline,
	"prm-scopes":    checkScopes,
	"prm-redirect":  checkMetadataRedirects,

	"as-metadata":     checkMetadata,
	"as-variants":     checkVariants,
	"as-root":         checkServerRoot,
	"as-issuer":       checkIssuer,
	"as-absolute":     checkAbsolute,
	"as-origin":       checkOrigin,
	"as-paths":        checkPaths,
	"as-s256":         checkList("code_challenge_methods_supported", "S256"),
	"as-plain":        checkPlain,
	"as-iss":          checkIss,
	"as-code":         checkList("response_types_supported", "code"),
	"as-refresh":      checkList("grant_types_supported", "refresh_token"),
	"as-none":         checkList("token_endpoint_auth_methods_supported", "none"),
	"as-registration": checkRegistration,
	"as-cimd":         checkCIMD,
	"as-revocation":   checkRevocation,

	"cors-metadata":  checkCORSMetadata,
	"cors-token":     checkPreflight("token"),
	"cors-register":  checkPreflight("registration"),
	"cors-mcp":       checkCORSMCP,
	"cors-challenge": checkCORSChallenge,

	"dcr":        checkDCR,
	"dcr-answer": checkDCRAnswer,
	"dcr-hosted": checkHosted,
	"dcr-error":  checkDCRError,

	"authorize-page":     checkPage,
	"authorize-frame":    checkFrame,
	"authorize-no-store": checkPageStore,
	"authorize-redirect": checkUnknownRedirect,
	"authorize-client":   checkUnknownClient,
	"authorize-plain":    checkPlainRefused,
	"authorize-pkce":     checkPKCE,
	"authorize-error":    checkErrorBack,
	"authorize-port":     checkPort,

	"token-redirect":       checkTokenRedirect,
	"token-code-error":     checkBadCode,
	"token-refresh-error":  checkBadRefresh,
	"token-client-error":   checkBadClient,
	"token-error-no-store": checkTokenStore,

	"login":          checkLogin,
	"login-state":    checkLoginState,
	"token":          checkToken,
	"token-expires":  checkExpires,
	"token-refresh":  checkRefreshToken,
	"token-scope":    checkTokenScope,
	"token-no-store": checkGrantedStore,

	"refresh":           checkRefresh,
	"refresh-grace":     checkGrace,
	"refresh-successor": checkSuccessor,

	"mcp-discover":              checkDiscover,
	"mcp-initialize-2025-06-18": checkInitialize(rev202506),
	"mcp-initialize-2025-11-25": checkInitialize(rev202511),
	"mcp-initialized":           checkInitialized,
	"mcp-session-list":          checkSessionList,
	"mcp-get":                   checkStream,
	"mcp-dead-session":          checkDeadSession,
	"mcp-origin":                checkForeign,
	"mcp-version":               checkVersion,
	"mcp-method":                checkMethod,

	"hybrid-older-header": checkOlderHeader,
	"hybrid-meta":         checkMetaOnly,
	"hybrid-newer-header": checkListWith("Mcp-Protocol-Version", rev202607),
	"hybrid-no-header":    checkListWith("Mcp-Protocol-Version", ""),
	"hybrid-doubled":      checkListWith("Mcp-Protocol-Version", rev202511+", "+rev202511),
	"accept-any":          checkListWith("Accept", "*/*"),

	"tools-list":   checkTools,
	"tools-schema": checkSchemas,
	"tools-hints":  checkHints,
	"tools-order":  checkOrder,
	"tools-cache":  checkCache,

	"apps-offered":  checkAppsOffered,
	"apps-resource": checkAppsResource,
	"apps-link":     checkAppsLink,
	"apps-csp":      checkAppsCSP,

	"events-offered":     checkEventsOffered,
	"events-list":        checkEventsList,
	"events-subscribe":   checkEventsSubscribe,
	"events-challenge":   checkEventsChallenge,
	"events-signature":   checkEventsSignature,
	"events-again":       checkEventsAgain,
	"events-unsubscribe": checkEventsUnsubscribe,

	"call":       checkCall,
	"call-input": checkInput,
	"search":     checkSearch,
	"fetch":      checkFetch,
	"mcp-delete": checkDelete,

	"a2a-card":   checkCard,
	"a2a-served": checkInterfaces,

	"revoke":       checkRevoke,
	"revoke-works": checkRevoked,
	"code-once":    checkCodeOnce,
}

// needs say why a check cannot be examined, "" if it can. Each relies on those before it in the list
// of a check.
var needs = map[string]func(*examination) string{
	"app":            needApp,
	"apps":           needApps,
	"challenge":      needChallenge,
	"events":         needEvents,
	"login":          needLogin,
	"metadata":       needMetadata,
	"page":           needPage,
	"public-name":    needPublicName,
	"refresh-token":  needRefreshToken,
	"registration":   needRegistration,
	"session":        needSession,
	"session-id":     needSessionID,
	"subscription":   needSubscription,
	"token":          needToken,
	"token-endpoint": needTokenEndpoint,
	"tokens":         needTokens,
	"tools":          needTools,
	"webhook":        needWebhook,
}
