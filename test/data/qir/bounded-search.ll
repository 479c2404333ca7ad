@0 = internal constant [4 x i8] c"0_t\00"
@1 = internal constant [6 x i8] c"1_t0a\00"
@2 = internal constant [8 x i8] c"2_t0a0r\00"
@3 = internal constant [8 x i8] c"3_t0a1r\00"
@4 = internal constant [8 x i8] c"4_t0a2r\00"
@5 = internal constant [6 x i8] c"5_t1i\00"
@array0 = internal constant [3 x ptr] [ptr inttoptr (i64 0 to ptr), ptr inttoptr (i64 1 to ptr), ptr inttoptr (i64 2 to ptr)]

define i64 @ENTRYPOINT__main() #0 {
block_0:
  %var_2 = alloca i64
  %var_3 = alloca i1
  %var_5 = alloca i1
  %var_8 = alloca i64
  %var_16 = alloca i1
  %var_20 = alloca i64
  call void @__quantum__rt__initialize(ptr null)
  store i64 0, ptr %var_2
  store i1 false, ptr %var_3
  br label %block_1
block_1:
  %var_23 = load i1, ptr %var_3
  %var_4 = xor i1 %var_23, true
  store i1 false, ptr %var_5
  br i1 %var_4, label %block_2, label %block_3
block_2:
  %var_40 = load i64, ptr %var_2
  %var_6 = icmp slt i64 %var_40, 4
  store i1 %var_6, ptr %var_5
  br label %block_3
block_3:
  %var_25 = load i1, ptr %var_5
  br i1 %var_25, label %block_4, label %block_5
block_4:
  %var_29 = load i64, ptr %var_2
  %var_7 = add i64 %var_29, 1
  store i64 %var_7, ptr %var_2
  store i64 0, ptr %var_8
  br label %block_6
block_5:
  call void @__quantum__qis__mresetz__body(ptr inttoptr (i64 0 to ptr), ptr inttoptr (i64 2 to ptr))
  call void @__quantum__qis__mresetz__body(ptr inttoptr (i64 1 to ptr), ptr inttoptr (i64 3 to ptr))
  call void @__quantum__qis__mresetz__body(ptr inttoptr (i64 2 to ptr), ptr inttoptr (i64 4 to ptr))
  %var_26 = load i64, ptr %var_2
  store i64 %var_26, ptr %var_20
  call void @__quantum__rt__tuple_record_output(i64 2, ptr @0)
  call void @__quantum__rt__array_record_output(i64 3, ptr @1)
  call void @__quantum__rt__result_record_output(ptr inttoptr (i64 2 to ptr), ptr @2)
  call void @__quantum__rt__result_record_output(ptr inttoptr (i64 3 to ptr), ptr @3)
  call void @__quantum__rt__result_record_output(ptr inttoptr (i64 4 to ptr), ptr @4)
  %var_28 = load i64, ptr %var_20
  call void @__quantum__rt__int_record_output(i64 %var_28, ptr @5)
  ret i64 0
block_6:
  %var_32 = load i64, ptr %var_8
  %var_9 = icmp slt i64 %var_32, 3
  br i1 %var_9, label %block_7, label %block_8
block_7:
  %var_37 = load i64, ptr %var_8
  %var_38_offset_chk = icmp slt i64 %var_37, 0
  %var_38_offset = select i1 %var_38_offset_chk, i64 1, i64 0
  %var_38 = getelementptr [3 x ptr], ptr @array0, i64 %var_38_offset, i64 %var_37
  %var_10 = load ptr, ptr %var_38
  call void @H(ptr %var_10)
  %var_13 = add i64 %var_37, 1
  store i64 %var_13, ptr %var_8
  br label %block_6
block_8:
  call void @__quantum__qis__m__body(ptr inttoptr (i64 0 to ptr), ptr inttoptr (i64 0 to ptr))
  %var_14 = call zeroext i1 @__quantum__rt__read_result(ptr inttoptr (i64 0 to ptr))
  store i1 false, ptr %var_16
  br i1 %var_14, label %block_9, label %block_10
block_9:
  call void @__quantum__qis__m__body(ptr inttoptr (i64 1 to ptr), ptr inttoptr (i64 1 to ptr))
  %var_17 = call zeroext i1 @__quantum__rt__read_result(ptr inttoptr (i64 1 to ptr))
  store i1 %var_17, ptr %var_16
  br label %block_10
block_10:
  %var_34 = load i1, ptr %var_16
  store i1 %var_34, ptr %var_3
  br label %block_1
}

declare void @__quantum__rt__initialize(ptr)

define internal void @H(ptr %var_12) {
block_11:
  call void @__quantum__qis__h__body(ptr %var_12)
  ret void
}

declare void @__quantum__qis__h__body(ptr)

declare void @__quantum__qis__m__body(ptr, ptr) #1

declare zeroext i1 @__quantum__rt__read_result(ptr) #2

declare void @__quantum__qis__mresetz__body(ptr, ptr) #1

declare void @__quantum__rt__tuple_record_output(i64, ptr)

declare void @__quantum__rt__array_record_output(i64, ptr)

declare void @__quantum__rt__result_record_output(ptr, ptr)

declare void @__quantum__rt__int_record_output(i64, ptr)

attributes #0 = { "entry_point" "output_labeling_schema" "qir_profiles"="adaptive_profile" "required_num_qubits"="3" "required_num_results"="5" }
attributes #1 = { "irreversible" }
attributes #2 = { nofree nosync nounwind willreturn memory(argmem: read) }

; module flags

!llvm.module.flags = !{!0, !1, !2, !3, !4, !5, !6, !7, !8, !9}

!0 = !{i32 1, !"qir_major_version", i32 2}
!1 = !{i32 7, !"qir_minor_version", i32 1}
!2 = !{i32 1, !"dynamic_qubit_management", i1 false}
!3 = !{i32 1, !"dynamic_result_management", i1 false}
!4 = !{i32 5, !"int_computations", !{!"i64"}}
!5 = !{i32 5, !"float_computations", !{!"double"}}
!6 = !{i32 7, !"backwards_branching", i2 3}
!7 = !{i32 1, !"arrays", i1 true}
!8 = !{i32 1, !"ir_functions", i1 true}
!9 = !{i32 1, !"writable_results", i1 true}
