/**
 * Names of request members whose meaning for the price was looked up, by format. Other members are unknown: they pass,
 * are listed for the administrator, and what they cost above a hold counts against their account. Members
 * with a price are in the formats' `request-price-table.ts`, and rows of their `request-policy-table.ts` are known too.
 */
import { policy as messagesPolicy } from './anthropic/request-policy-table.ts'
import { geminiPolicy } from './gemini/request-policy-table.ts'
import { type KnownNames, namesIn } from './json/fields.ts'
import { policy as chatPolicy } from './openai-chat/request-policy-table.ts'
import { policy as responsesPolicy } from './openai-responses/request-policy-table.ts'
import type { PolicyTable } from './translation/policy.ts'

const none: ReadonlySet<number> = new Set()

interface Listed {
  readonly policy: PolicyTable
  /** Members of the body that have no row there. */
  readonly body: string
  /** Members of the body that hold settings. */
  readonly settings: string
  /** Members of messages and parts that hold settings. */
  readonly partSettings: string
  /** Members of settings, tools, items, messages and parts. */
  readonly elsewhere: string
}

export interface KnownMembers {
  readonly body: KnownNames
  /** In items, messages and parts. */
  readonly parts: KnownNames
  /** In tools, all of whose members are settings. */
  readonly tools: KnownNames
}

function knownMembers({ body, policy, settings, partSettings, elsewhere }: Listed): KnownMembers {
  const rows = policy.map(({ field }) => field.replace(/[.[].*$/, ''))
  const inSettings = namesIn(elsewhere)
  return {
    body: { own: namesIn([body, settings, ...rows].join(' ')), settings: namesIn(settings), inSettings },
    parts: { own: inSettings, settings: namesIn(partSettings), inSettings },
    tools: { own: inSettings, settings: inSettings, inSettings },
  }
}

/** Members of response schemas, tool choices and moderation, which three formats share. */
const shared = `type name description strict schema json_schema mode tools allowed_tools function custom grammar
  syntax definition format model policy input output`

/** Sampling and template options of Chat Completions servers; none affects the price. */
const openServers = `min_p top_a typical_p tfs repetition_penalty length_penalty no_repeat_ngram_size min_tokens ignore_eos
  stop_token_ids bad_words skip_special_tokens spaces_between_special_tokens include_stop_str_in_output logprobs
  prompt_logprobs echo add_generation_prompt continue_final_message add_special_tokens chat_template
  chat_template_kwargs documents guided_json guided_regex guided_choice guided_grammar structured_outputs
  enable_thinking thinking_budget reasoning_format reasoning_split separate_reasoning include_reasoning
  keep_alive options truncate safe_prompt random_seed prompt_mode priority transforms session_id usage
  return_citations return_images search_mode client_metadata extra_body extra_headers cache_control
  disable_reasoning preserve_thinking thinking`

export const chatMembers = knownMembers({
  policy: chatPolicy,
  body: `model messages stream input ${openServers}`,
  settings: `stream_options prompt_cache_options response_format web_search_options audio prediction moderation reasoning
    reasoning_effort tool_choice function_call functions`,
  partSettings: 'image_url input_audio audio file prompt_cache_breakpoint cache_control',
  elsewhere: `${shared} include_usage include_obfuscation ttl prewarm comparison_response_id verbosity enabled effort
    max_tokens exclude summary search_context_size user_location approximate city country region timezone voice
    id content role text refusal tool_calls tool_call_id arguments parameters index url detail data file file_data file_id
    file_url filename image_url input_audio audio audio_url video_url document_url prompt_cache_breakpoint cache_control
    reasoning reasoning_content reasoning_details reasoning_text thinking signature redacted_thinking thinking_blocks
    provider_specific_fields extra_content annotations images citations prefix partial tool_name title context source
    media_type is_error tool_use_id function_call tool_plan min_pixels max_pixels fps video total_pixels
    container_upload filters`,
})

/** Members of log probabilities in earlier answers. */
const tokens = 'logprobs token bytes top_logprobs logprob'

export const responsesMembers = knownMembers({
  policy: responsesPolicy,
  body: 'model input stream messages tools',
  settings: `access_programs background_options context_management image moderation prompt_cache_options reasoning
    stream_options text tool_choice`,
  partSettings: 'prompt_cache_breakpoint environment input_audio reasoning',
  elsewhere: `${shared} ${tokens} acknowledged_safety_checks action actions agent agent_name allowed_callers
    allowed_domains blocked_domains always annotations approval_request_id approve arguments async author background authorization
    button call_id caller caller_id categories city code command commands compact_threshold comparison_response_id
    completion_window complexity connector_id container container_id content context context_compression continuation_id
    country cyber data defer_loading detail diff display_height display_width domain domain_secrets effort
    embedding_weight encrypted_content end_index environment error execution exit_code external_web_access file_data
    file_id file_ids file_url filename filters fingerprint frame_count frame_duration_ms generate_summary headers
    hybrid_search id image_url include_obfuscation index indexed_content_types input_fidelity input_image_mask input_schema
    input_tokens internal_chat_message_metadata_passthrough key keys last_task_message logs max_num_results
    max_output_length media_type memory_limit message metadata moderation moderation_details moderation_stage namespace
    namespace_description network_policy never operation outcome output_compression output_format output_schema
    output_tokens outputs param parameters partial_images path pattern pending_safety_checks phase policy prewarm
    prompt_cache_breakpoint quality queries query ranker ranking_options read_only reason reasoning reasoning_tokens
    recipient refusal region require_approval result results revised_prompt role score score_threshold scroll_x scroll_y
    search_content_types search_context_size server_description server_label server_url size skill_id skills source
    sources start_index status stderr stdout summary svg svg_usage text text_weight timeout_ms timezone title tool_names
    top_k total_tokens ttl tunnel_id url user user_location value vector_store_ids verbosity version working_directory
    x y input_audio audio_url video_url input_video`,
})

export const messagesMembers = knownMembers({
  policy: messagesPolicy,
  body: 'model messages stream',
  settings: `billing_policy cache_control compaction container context_management diagnostics fallbacks mcp_servers
    output_config output_format thinking thread tool_choice metadata`,
  partSettings: 'output_config tool_changes transformations cache_control',
  elsewhere: `active allowed_callers allowed_domains allowed_tools authorization_token bill_to block_binding
    blocked_domains budget_tokens cache_control caching caller citations cited_text city clear_at clear_at_least
    clear_tool_inputs client_tool_results close_tab code command configs content context country cursor_position data
    default_config defer_loading definition description disable_parallel_tool_use display display_height_px
    display_number display_width_px document_index document_title double_click download_id eager_input_streaming edits
    effort enable_zoom enabled encrypted_content encrypted_index encrypted_stdout end_block_index end_char_index
    end_page_number error error_code error_message exclude_tools fallback_credit_token file_id file_type file_upload find
    form_input format from get_page_text hold_key hover id input input_examples input_schema instructions is_error
    is_file_update javascript_exec keep key left_click left_click_drag left_mouse_down left_mouse_up lines list_tabs
    max_characters max_content_tokens max_tokens max_uses mcp_server_name media_type message middle_click model mouse_move
    name navigate new_lines new_start new_tab num_lines old_lines old_start output_config oversized_image page_age path
    pause_after_compaction prefix_mismatch_behavior previous_message_id properties read_console read_network read_page
    reason region remaining required response_inclusion retrieved_at return_code right_click role schema screenshot scroll
    scroll_to search_result_index server_name server_tool_results signature size_bytes skill_id skills source speed
    start_block_index start_char_index start_line start_page_number state_changes stderr stdout stop_reason strict
    switch_tab tab_id tabs task_budget text thinking timezone title to tool tool_changes tool_configuration tool_id
    tool_name tool_references tool_use_id tools toolset_name total total_lines transformations trigger triple_click ttl
    type url url_sources use_cache user_id user_input user_location value version wait zoom usage`,
})

export const geminiMembers = knownMembers({
  policy: geminiPolicy,
  body: 'model contents tools generationConfig toolConfig',
  settings: 'toolConfig safetySettings modelArmorConfig outputConfig',
  partSettings: 'mediaResolution videoMetadata mediaProcessing speechMetadata audioTranscription',
  elsewhere: `adaptationPhrases aggregationThreshold allowedFunctionNames args aspectRatio audioTranscription autoMode
    behavior blockingConfidence boolValue category code codeExecutionResult compressionQuality consentAudio
    customVocabulary data description diarization disabledSafetyPolicies displayName dynamicRetrievalConfig
    dynamicThreshold enablePromptInjectionDetection enableWidget endOffset endTime environment excludeDomains
    excludedPredefinedFunctions executableCode featureSelectionPreference fileData fileSearchStoreNames fileUri finished
    fps functionCall functionCallingConfig functionDeclarations functionResponse googleMaps googleSearch groundingTypes id
    imageOutputOptions imageSearch imageSize includeServerSideToolInvocations includeThoughts inlineData jsonPath language
    languageAuto languageCode languageCodes languageHints latLng latitude level longitude manualMode mediaProcessing
    mediaResolution metadataFilter method mimeType mode modelName modelRoutingPreference multiSpeakerVoiceConfig name
    nullValue numTokens numberValue outcome output outputCompressionQuality outputMimeType outputUriPrefix parameters
    parametersJsonSchema partMetadata partialArgs parts personGeneration places prebuiltVoiceConfig prominentPeople
    promptTemplateName replicatedVoiceConfig response responseJsonSchema responseTemplateName result retrievalConfig role
    routing scheduling schema searchTypes signature sourceText speaker speakerLabel speakerVoiceConfigs speechMetadata
    startOffset startTime streamFunctionCallArguments stringValue style targetLanguageCode text thinkingBudget
    thinkingLevel thought thoughtSignature threshold timeRangeFilter toolCall toolResponse toolType topK videoMetadata voice
    voiceConfig voiceConsentSignature voiceName voiceSampleAudio webSearch willContinue word wordTimestamp words image audio
    video type format`,
})

/** Known members of `generationConfig`, from the policy rows and beyond. */
export const geminiSettings: KnownNames = {
  own: namesIn(geminiPolicy.map(({ field }) => /^generationConfig\.(\w+)$/.exec(field)?.[1] ?? '').join(' ')),
  settings:
    namesIn(`thinkingConfig speechConfig imageConfig routingConfig modelSelectionConfig audioTranscriptionConfig
    translationConfig responseFormat`),
  inSettings: geminiMembers.body.inSettings,
}

export const embeddingsMembers: KnownNames = {
  own: namesIn(`model input dimensions encoding_format user input_type truncate metadata extra_body taskType title
    outputDimensionality autoTruncate`),
  settings: none,
  inSettings: none,
}
